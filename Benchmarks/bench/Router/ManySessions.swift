import Foundation
import SessionsModel
import Stores

/// A store with many ended sessions, written by the store itself.
enum ManySessions {
  private static let groupSize = 1000

  /// Every title has the words `conversation` and one of a thousand others.
  static func write(_ count: Int, to path: String) async throws {
    let store = try await SQLiteStore.open(path: path)
    let start = Date(timeIntervalSince1970: 1_700_000_000)
    for first in stride(from: 0, to: count, by: groupSize) {
      let group = (first..<min(count, first + groupSize)).map { number in
        var record = SessionRecord(
          app: RouterUnderTest.key, id: "many-\(number)",
          owner: SessionOwner(kind: .user, userID: "user\(number % 500)"), agent: "assistant",
          agentID: "assistant", modality: .text,
          createdAt: start.addingTimeInterval(Double(number)))
        record.state = .ended
        record.updatedAt = start.addingTimeInterval(Double(number) + 60)
        record.closedAt = record.updatedAt
        record.labels.title = "A conversation about word\(number % 1000)"
        record.labels.description = "What user \(number % 500) wanted to know that day."
        return StoreChange.create(record)
      }
      try await store.commit(group)
    }
    await store.close()
  }
}
