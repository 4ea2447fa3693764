public import Foundation

/// One fact that a session taught about its user.
public struct MemoryRecord: Sendable, Hashable {
  public var sessionID: String
  public var text: String
  public var createdAt: Date

  public init(sessionID: String, text: String, createdAt: Date) {
    self.sessionID = sessionID
    self.text = text
    self.createdAt = createdAt
  }
}
