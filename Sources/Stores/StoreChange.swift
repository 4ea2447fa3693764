public import SessionsModel

/// One write; several go together in ``SessionStore/commit(_:)``.
public enum StoreChange: Sendable {
  /// Adds a session whose id the app does not use yet.
  case create(SessionRecord)
  /// Writes a session over itself.
  case save(SessionRecord)
  /// Removes a session with its turns, items and messages; nothing happens when it is not there.
  case delete(SessionKey)
  /// Adds a turn, or writes it over itself.
  case turn(TurnRecord, SessionKey)
  /// Adds an item, or writes it over the one of the same response and ordinal.
  case item(AgentResponseItem, SessionKey)
  /// Adds a message, or writes it over itself.
  case message(TranscriptMessage, SessionKey)
  /// Adds to what an hour cost; needs no session.
  case usage(UsageEntry)
  /// Puts these in the place of all that a session taught.
  case memories([MemoryRecord], SessionKey)
}
