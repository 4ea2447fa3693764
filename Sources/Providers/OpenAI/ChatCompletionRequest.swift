import Foundation

/// The body of a streamed chat completion request.
struct ChatCompletionRequest {
  var model: String
  var prompt: ModelPrompt
  /// Fields this server was found not to know.
  var leavesOut: Set<String> = []

  /// - Throws: `.failed` when a tool's parameters are no JSON.
  func body() throws(ProviderError) -> [UInt8] {
    var object: [String: Any] = [
      "model": model, "stream": true, "stream_options": ["include_usage": true],
      "messages": prompt.messages.map(message),
    ]
    if let limit = prompt.maxOutputTokens { object["max_tokens"] = limit }
    if let temperature = prompt.temperature { object["temperature"] = temperature }
    if let thinking = prompt.thinking { object["reasoning_effort"] = thinking }
    if let verbosity = prompt.verbosity { object["verbosity"] = verbosity }
    if !prompt.tools.isEmpty {
      var tools: [[String: Any]] = []
      for tool in prompt.tools { tools.append(try self.tool(tool)) }
      object["tools"] = tools
      object["tool_choice"] = toolChoice
    }
    for name in leavesOut { object[name] = nil }
    do {
      return [UInt8](try JSONSerialization.data(withJSONObject: object, options: .sortedKeys))
    } catch {
      throw .failed("The request to the model could not be written as JSON: \(error)")
    }
  }

  private var toolChoice: Any {
    switch prompt.toolChoice {
    case .automatic: "auto"
    case .none: "none"
    case .required: "required"
    case .tool(let name): ["type": "function", "function": ["name": name]]
    }
  }

  private func message(_ message: ModelMessage) -> [String: Any] {
    var object: [String: Any] = ["role": message.role.rawValue, "content": message.content]
    if !message.images.isEmpty {
      object["content"] =
        [["type": "text", "text": message.content] as [String: Any]]
        + message.images.map { ["type": "image_url", "image_url": ["url": $0]] as [String: Any] }
    }
    if let id = message.toolCallID { object["tool_call_id"] = id }
    if !message.toolCalls.isEmpty {
      object["tool_calls"] = message.toolCalls.map { call in
        [
          "id": call.id, "type": "function",
          "function": ["name": call.name, "arguments": call.arguments],
        ] as [String: Any]
      }
    }
    return object
  }

  private func tool(_ tool: ModelTool) throws(ProviderError) -> [String: Any] {
    guard let parameters = try? JSONSerialization.jsonObject(with: Data(tool.parameters.utf8))
    else {
      throw .failed("The parameters of the tool \"\(tool.name)\" are no JSON.")
    }
    return [
      "type": "function",
      "function": [
        "name": tool.name, "description": tool.description, "parameters": parameters,
      ],
    ]
  }
}
