import Foundation
import SessionsModel
import Testing

@testable import Stores

/// Databases of every earlier version, written by the router of that version, are brought forward.
@Suite struct MigrationTests {
  /// Earlier/version<n>.sql is what a router of version n left behind, as SQLite's dump shows it.
  @Test(arguments: 1..<SQLiteSchema.version) func aDatabaseOfAnEarlierVersionGoesOn(
    _ version: Int
  ) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path("sessions.db")
    let url = try #require(
      Bundle.module.url(
        forResource: "version\(version)", withExtension: "sql", subdirectory: "Earlier"))
    try SQLiteDatabase(path: path).execute(try String(contentsOf: url, encoding: .utf8))

    let store = try await SQLiteStore.open(path: path)
    let first = try #require(try await store.session("first", app: "app"))
    #expect(first.labels.title == "Order 1042" && first.labels.projectID == "support")
    #expect(first.answers == 0 && !first.isNamingDue && first.reviewedTurns == 0)
    let turns = try await store.turns(of: first.key, .all).map(\.value)
    #expect(
      turns.map(\.said) == ["What is the capital of France?", "How many days are in a week?"])
    #expect(turns.first?.answer == "The capital of France is Paris.")
    #expect(try await store.items(of: first.key, responseID: nil, .all).count == 4)
    #expect(try await store.messages(of: first.key, .all).count == 4)

    // What the newer version added works on what was there.
    func found(_ change: (inout SessionFilter) -> Void) async throws -> [String] {
      var filter = SessionFilter()
      change(&filter)
      var selection = SessionSelection(app: "app", filter: filter, limit: 10)
      selection.ordersByRelevance = filter.text != nil
      return try await store.sessions(selection).map(\.id)
    }
    #expect(try await found { $0.text = "order 1042" } == ["first"])
    #expect(try await found { $0.text = "koln" } == ["second"])
    #expect(try await found { $0.text = "assistant" } == ["second", "first"])
    #expect(try await found { $0.custom = ["ticket": "4721"] } == ["first"])
    #expect(try await found { $0.custom = ["more": "1"] } == [])
    let fact = MemoryRecord(
      sessionID: "first", text: "likes tea", createdAt: Date(millisecondsSince1970: 5))
    try await store.commit([.memories([fact], first.key)])
    #expect(try await store.memories(of: first.key) == [fact])
    await store.close()
    // A second opening migrates nothing.
    let again = try await SQLiteStore.open(path: path)
    #expect(try await again.sessions(SessionSelection(app: "app", limit: 10)).count == 2)
    await again.close()
  }

  @Test func aMigrationThatFailsLeavesTheFileAsItWas() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path("sessions.db")
    let url = try #require(
      Bundle.module.url(forResource: "version1", withExtension: "sql", subdirectory: "Earlier"))
    let database = try SQLiteDatabase(path: path)
    try database.execute(try String(contentsOf: url, encoding: .utf8))
    try database.execute("UPDATE sessions SET detail = '{' WHERE id = 'second'")
    let error = await #expect(throws: StoreError.self) {
      _ = try await SQLiteStore.open(path: path)
    }
    #expect("\(try #require(error))".contains("cannot be read"))
    #expect(try database.integer("PRAGMA user_version") == 1)
    #expect(
      try database.integer("SELECT count(*) FROM sqlite_master WHERE name = 'session_words'") == 0)
  }
}
