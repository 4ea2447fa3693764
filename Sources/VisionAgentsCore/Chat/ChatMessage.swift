public import Foundation
public import SessionsModel

/// One message of a session's transcript.
public struct ChatMessage: Sendable, Identifiable, Hashable {
  public let id: String
  public let userID: String
  public let text: String
  public let isSentByAgent: Bool
  public let createdAt: Date
  /// `generating`, `spoken` and `interrupted`, where they apply.
  public let extraData: [String: JSONValue]

  init(_ message: TranscriptMessage) {
    id = message.id
    userID = message.userID
    text = message.text
    isSentByAgent = message.role == .assistant
    createdAt = message.createdAt
    extraData = message.extra
  }

  /// The agent thinks: its reply was begun and has no words yet.
  public var isThinking: Bool {
    isSentByAgent && text.isEmpty && extraData["generating"]?.boolValue == true
  }

  /// A reply with nothing to show, such as one cut off before its first word; views leave it out.
  public var hasNothingToShow: Bool {
    isSentByAgent && text.isEmpty && extraData["generating"]?.boolValue != true
  }
}
