import Foundation
import SessionsModel
import Testing

@testable import Stores

/// Searching, costs and memories, which every store keeps alike.
@Suite struct KeepingTests {
  enum Kind: String, CaseIterable {
    case memory, sqlite
  }

  private func withStore(
    _ kind: Kind, _ body: (any SessionStore) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let store: any SessionStore =
      switch kind {
      case .memory: MemoryStore(executor: InlineExecutor())
      case .sqlite: try await SQLiteStore.open(path: folder.path("sessions.db"))
      }
    try await body(store)
    await store.close()
  }

  private func record(_ id: String, _ title: String, at time: Int = 0) -> SessionRecord {
    var record = Sample.session(id)
    record.labels.title = title
    record.updatedAt = Date(millisecondsSince1970: time)
    return record
  }

  @Test(arguments: Kind.allCases)
  func theBestMatchComesFirstAndPagesGoOnBehindIt(_ kind: Kind) async throws {
    try await withStore(kind) { store in
      var described = record("described", "Parcels", at: 9)
      described.labels.description = "Where order 1042 is"
      try await store.commit([
        .create(described), .create(record("apart", "1042, an order", at: 5)),
        .create(record("exact", "Order 1042", at: 1)),
        .create(record("within", "My order 1042 is late", at: 2)),
        .create(record("older", "My order 1042 was late", at: 1)),
        .create(record("other", "Order 7", at: 10)),
      ])
      var filter = SessionFilter()
      filter.text = "order 1042"
      var selection = SessionSelection(app: "app", filter: filter, limit: 2)
      selection.ordersByRelevance = true
      var seen: [String] = []
      while let last = try await store.sessions(selection).last {
        seen += try await store.sessions(selection).map(\.id)
        selection.after = selection.position(of: last)
      }
      #expect(seen == ["exact", "within", "older", "apart", "described"])
      selection.after = nil
      selection.ordersByRelevance = false
      selection.limit = 10
      #expect(
        try await store.sessions(selection).map(\.id)
          == ["described", "apart", "within", "older", "exact"], "by activity where that is asked")
    }
  }

  @Test(arguments: Kind.allCases)
  func wordsAreFoundWhateverCaseAccentOrSign(_ kind: Kind) async throws {
    try await withStore(kind) { store in
      try await store.commit([
        .create(record("a", "Grüße aus KÖLN: \"100 %\" (fast) & mehr")),
        .create(record("b", "日本語 の題")), .create(record("c", "AND OR NOT NEAR *")),
      ])
      func found(_ text: String) async throws -> [String] {
        var filter = SessionFilter()
        filter.text = text
        return try await store.sessions(SessionSelection(app: "app", filter: filter, limit: 5))
          .map(\.id)
      }
      #expect(try await found("koln") == ["a"])
      #expect(try await found("\"100\" -fast) OR(") == [], "OR is a word like others")
      #expect(try await found("\"100\" -fast)") == ["a"])
      #expect(try await found("日本語") == ["b"])
      #expect(try await found("near not and") == ["c"])
      #expect(try await found("meh*") == ["a"])
      #expect(try await found("meh") == [])
      #expect(try await found("* ' \" ; --") == [])
      #expect(try await found("title:koln") == [], "no column is named by a search")
    }
  }

  @Test(arguments: Kind.allCases)
  func costsAddUpByHourAndOutliveTheSession(_ kind: Kind) async throws {
    try await withStore(kind) { store in
      func entry(_ hour: Int, _ user: String, _ tag: String?, cost: Int) -> StoreChange {
        var usage = SessionUsage()
        usage.requests = 1
        usage.inputTokens = 10
        usage.costMicros = cost
        return .usage(
          UsageEntry(
            app: "app", at: Date(timeIntervalSince1970: Double(hour * 3600 + 59)), userID: user,
            agent: "assistant", tags: tag.map { ["plan": $0, "a \"b\"": "1"] } ?? [:],
            usage: usage, messages: 1))
      }
      let session = Sample.session("one")
      try await store.commit([.create(session), entry(1, "ann", "pro", cost: 5)])
      try await store.commit([
        entry(1, "ann", "pro", cost: 7), entry(2, "bert", nil, cost: 100), .delete(session.key),
      ])
      func totals(_ change: (inout UsageSelection) -> Void) async throws -> [String] {
        var selection = UsageSelection(app: "app", grouping: .all)
        change(&selection)
        return try await store.usage(selection).map {
          "\($0.key) \($0.usage.costMicros) \($0.usage.requests) \($0.messages)"
        }
      }
      #expect(try await totals { $0.grouping = .user } == ["bert 100 1 1", "ann 12 2 2"])
      #expect(try await totals { $0.grouping = .tag("plan") } == [" 100 1 1", "pro 12 2 2"])
      #expect(try await totals { $0.grouping = .tag("a \"b\"") } == [" 100 1 1", "1 12 2 2"])
      #expect(try await totals { _ in } == [" 112 3 3"])
      #expect(try await totals { $0.userID = "ann" } == [" 12 2 2"])
      #expect(
        try await totals {
          $0.grouping = .user
          $0.since = Date(timeIntervalSince1970: 7200)
        } == ["bert 100 1 1"])
      #expect(
        try await totals {
          $0.grouping = .user
          $0.until = Date(timeIntervalSince1970: 7200)
        } == ["ann 12 2 2"])
      #expect(
        try await totals {
          $0.grouping = .user
          $0.limit = 1
        } == ["bert 100 1 1"])
      #expect(try await store.usage(UsageSelection(app: "other", grouping: .user)).isEmpty)
    }
  }

  @Test(arguments: Kind.allCases)
  func memoriesAreTheOwnersAndTheAgents(_ kind: Kind) async throws {
    try await withStore(kind) { store in
      let (one, two) = (Sample.session("one"), Sample.session("two"))
      var hers = Sample.session("hers", user: "anna")
      hers.agent = "assistant"
      try await store.commit([.create(one), .create(two), .create(hers)])
      func memory(_ session: SessionRecord, _ text: String, _ time: Int) -> MemoryRecord {
        MemoryRecord(
          sessionID: session.id, text: text, createdAt: Date(millisecondsSince1970: time))
      }
      try await store.commit([
        .memories([memory(one, "a", 1), memory(one, "b", 1)], one.key),
        .memories([memory(two, "c", 2)], two.key), .memories([memory(hers, "d", 3)], hers.key),
      ])
      func known(_ owner: SessionOwner, _ agent: String = "assistant") async throws -> [String] {
        try await store.memories(of: owner, agent: agent, app: "app", limit: 10).map(\.text)
      }
      #expect(try await known(one.owner) == ["c", "b", "a"], "the newest first")
      #expect(try await known(hers.owner) == ["d"])
      #expect(try await known(SessionOwner(kind: .guest, userID: "jlahey")) == [])
      #expect(try await known(one.owner, "another") == [])
      try await store.commit([.memories([memory(one, "e", 4)], one.key)])
      #expect(try await store.memories(of: one.key).map(\.text) == ["e"])
      try await store.commit([.delete(two.key)])
      #expect(try await known(one.owner) == ["e"])
      await #expect(throws: StoreError.sessionMissing("two")) {
        try await store.commit([.memories([], two.key)])
      }
    }
  }

  @Test func preparedStatementsAreBounded() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let database = try SQLiteDatabase(path: folder.path("sessions.db"))
    for number in 0..<(3 * SQLiteDatabase.statementsAtMost) {
      #expect(try database.integer("SELECT \(number)") == number)
      #expect(try database.integer("SELECT 'often', 1") == 0)
    }
    #expect(database.preparedStatements == SQLiteDatabase.statementsAtMost)
  }
}
