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
      var changes = [StoreChange.save(record)]
      for turn in try await store.turns(of: record.key, .all).map(\.value)
      where turn.status == .running {
        var failed = turn
        failed.status = .failed
        failed.error = "the router stopped during this turn"
        failed.finishedAt = time
        changes.append(.turn(failed, record.key))
      }
      try await store.commit(changes)
    }
    return held.count
  }
}
