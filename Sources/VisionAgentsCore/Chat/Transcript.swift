import SessionsModel

/// A transcript's messages in order, kept up to date by `message.` frames. A value.
struct Transcript: Sendable {
  private(set) var messages: [ChatMessage] = []

  /// Takes a page read from the router; messages known by id are replaced.
  mutating func merge(_ page: [ChatMessage]) {
    for message in page {
      put(message)
    }
  }

  /// Takes in one event; returns whether it changed anything.
  mutating func apply(_ event: AgentEvent) -> Bool {
    switch event.kind {
    case .messageNew, .messageUpdated:
      // A message this version cannot read is left out, as any frame it cannot read.
      guard
        let json = event.fields["message"],
        let message = try? TranscriptMessage(json: json)
      else { return false }
      return put(ChatMessage(message))
    default:
      return false
    }
  }

  @discardableResult
  private mutating func put(_ message: ChatMessage) -> Bool {
    if let index = messages.lastIndex(where: { $0.id == message.id }) {
      guard messages[index] != message else { return false }
      messages[index] = message
      return true
    }
    let index = messages.lastIndex { $0.createdAt <= message.createdAt }.map { $0 + 1 } ?? 0
    messages.insert(message, at: index)
    return true
  }
}
