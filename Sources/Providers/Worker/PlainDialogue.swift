/// A conversation as a small chat model knows it: system, user and assistant, without tool calls.
struct PlainDialogue {
  var messages: [WorkerAnswerRequest.Message] = []

  init(_ conversation: [ModelMessage]) {
    for message in conversation {
      switch message.role {
      case .system, .user: append(message.role.rawValue, message.content)
      case .assistant where message.content.isEmpty: break
      case .assistant: append("assistant", message.content)
      case .tool:
        append(
          "user",
          "The lookup says: \(message.content)\nAnswer my question with it in one short sentence.")
      }
    }
  }

  /// Says at the end what the grammar will only allow: a call of one of these tools.
  mutating func askForCall(of tools: [ModelTool]) {
    guard let last = messages.indices.last else { return }
    let names = tools.map(\.name).joined(separator: " or ")
    messages[last].content += "\nWrite only the call of \(names), as JSON."
  }

  private mutating func append(_ role: String, _ content: String) {
    messages.append(WorkerAnswerRequest.Message(role: role, content: content))
  }
}
