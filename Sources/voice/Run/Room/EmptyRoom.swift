/// A room in which nobody speaks but the agent: whatever is heard there is the agent itself.
@MainActor
struct EmptyRoom {
  /// Longest wait for the agent to begin: it may have nothing to say.
  static let beginningLimit = Duration.seconds(10)
  /// Longest monologue that is listened to.
  static let speechLimit = Duration.seconds(60)
  /// Silence after which nothing more is expected; well above the silence that ends a turn.
  static let silence = Duration.seconds(4)

  let conversation: Conversation

  /// Listens until the agent has fallen silent, or somebody was heard.
  ///
  /// - Returns: complaints.
  func listen() async -> [String] {
    _ = await conversation.wait(upTo: Self.beginningLimit) { $0.hasAgentSpoken || $0.hasHeard }
    _ = await conversation.wait(upTo: Self.speechLimit) {
      $0.hasBeenQuiet(for: Self.silence) || $0.hasHeard
    }
    let heard = conversation.transcript.filter { $0.side == .person }.map {
      "\"\($0.text)\" was heard although nobody spoke."
    }
    return heard + conversation.ledger.problems
  }
}
