import Foundation
import SessionsModel
public import Stores

/// Puts the store in order after a router that stopped without ending its sessions.
public enum SessionRecovery {
  /// Marks sessions that a former process held as ended, and their running turns as failed.
  ///
  /// What was acknowledged stays; the next attach or request reopens such a session.
  ///
  /// - Returns: how many sessions there were.
  @discardableResult
  public static func run(_ environment: RouterEnvironment) async throws(StoreError) -> Int {
    let store = environment.store
    let time = environment.runtime.timestamp
    let held = try await store.liveSessions()
    for var record in held {
      record.state = .ended
      record.isVoiceOn = false
      record.closedAt = time
      record.updatedAt = time
      record.isLookBackDue = true
      var changes = [StoreChange.save(record)]
      for turn in try await store.turns(of: record.key, .all).map(\.value)
      where turn.status == .running {
        var failed = turn
        failed.status = .failed
        failed.error = "the router stopped during this turn"
        failed.finishedAt = time
        changes.append(.turn(failed, record.key))
        if let message = record.abandonedReply(of: failed) {
          changes.append(.message(message, record.key))
        }
      }
      try await store.commit(changes)
    }
    return held.count
  }
}

extension SessionRecord {
  /// What stands in the transcript for the reply of a turn that nobody finished: nothing to show.
  fileprivate func abandonedReply(of turn: TurnRecord) -> TranscriptMessage? {
    guard conversationID != nil else { return nil }
    var message = TranscriptMessage(
      id: TranscriptMessage.id(of: turn.id, .assistant), role: .assistant, userID: agent, text: "",
      createdAt: turn.createdAt,
      extra: [
        "response_id": .string(turn.id), "request_id": .string(turn.requestID),
        "spoken": .bool(turn.origin == .spoken), "generating": false, "interrupted": true,
      ])
    message.updatedAt = turn.finishedAt ?? turn.createdAt
    return message
  }
}
