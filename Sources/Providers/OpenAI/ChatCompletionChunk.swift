/// One event of a streamed chat completion.
struct ChatCompletionChunk: Decodable {
  struct Choice: Decodable {
    var delta: Delta?
    var finishReason: String?
  }

  struct Delta: Decodable {
    var content: String?
    var toolCalls: [ToolCallFragment]?
  }

  struct ToolCallFragment: Decodable {
    struct Function: Decodable {
      var name: String?
      var arguments: String?
    }

    var index: Int?
    var id: String?
    var function: Function?
  }

  struct Usage: Decodable {
    struct Details: Decodable {
      var cachedTokens: Int?
    }

    var promptTokens: Int?
    var completionTokens: Int?
    var promptTokensDetails: Details?
  }

  struct Failure: Decodable {
    var message: String?
  }

  var choices: [Choice]?
  var usage: Usage?
  var error: Failure?
}
