import Foundation
import SessionsModel
import Testing

@testable import Stores

/// What every store promises, asked of each of them.
@Suite struct SessionStoreTests {
  enum Kind: String, CaseIterable, Sendable {
    case memory, sqlite
  }

  /// Gives a fresh store to `body` and removes its file afterwards.
  private func withStore(_ kind: Kind, _ body: (any SessionStore) async throws -> Void) async throws
  {
    switch kind {
    case .memory:
      try await body(MemoryStore(executor: InlineExecutor()))
    case .sqlite:
      let folder = try TemporaryFolder()
      defer { folder.remove() }
      let store = try await SQLiteStore.open(path: folder.path("sessions.db"))
      try await body(store)
      await store.close()
    }
  }

  @Test(arguments: Kind.allCases)
  func aCreatedSessionComesBackAsItWas(_ kind: Kind) async throws {
    try await withStore(kind) { store in
      var record = Sample.session("one")
      record.configID = "config"
      record.isVoiceOn = true
      record.lastResponseAt = Date(millisecondsSince1970: 5)
      record.closedAt = Date(millisecondsSince1970: 6)
      record.labels.title = "Order 1042 🚚"
      record.labels.custom = ["nested": ["list": [1, 2.5, nil, "x"]]]
      record.labels.tags = ["plan": "pro"]
      record.labels.isTitleFrozen = true
      record.settings.models = ModelOverwrites(llm: "quick", thinking: .none, temperature: 0)
      record.settings.tools = [
        SessionTool(name: "lookup", description: "d", parameters: ["type": "object"])
      ]
      record.usage.costMicros = 12
      record.reviewScore = 4
      try await store.commit([.create(record)])
      #expect(try await store.session("one", app: "app") == record)
      #expect(try await store.session("one", app: "other") == nil)
    }
  }

  @Test(arguments: Kind.allCases)
  func aUsedIDIsRefusedAndFreeAgainAfterDelete(_ kind: Kind) async throws {
    try await withStore(kind) { store in
      let record = Sample.session("one")
      try await store.commit([.create(record)])
      await #expect(throws: StoreError.sessionExists("one")) {
        try await store.commit([.create(record)])
      }
      try await store.commit([.delete(record.key)])
      await #expect(throws: StoreError.sessionMissing("one")) {
        try await store.commit([.save(record)])
      }
      try await store.commit([.create(record)])
      #expect(try await store.session("one", app: "app") != nil)
    }
  }

  @Test(arguments: Kind.allCases)
  func aGroupOfChangesHappensWhollyOrNotAtAll(_ kind: Kind) async throws {
    try await withStore(kind) { store in
      let first = Sample.session("first")
      try await store.commit([.create(first)])
      await #expect(throws: StoreError.sessionExists("first")) {
        try await store.commit([.create(Sample.session("second")), .create(first)])
      }
      #expect(try await store.session("second", app: "app") == nil)
    }
  }

  @Test(arguments: Kind.allCases)
  func aDeletedSessionTakesItsTurnsItemsAndMessagesAlong(_ kind: Kind) async throws {
    try await withStore(kind) { store in
      let record = Sample.session("one")
      try await store.commit([
        .create(record), .turn(Sample.turn("t1", in: record), record.key),
        .item(Sample.item("t1", 0), record.key), .message(Sample.message("m1"), record.key),
      ])
      try await store.commit([.delete(record.key), .create(record)])
      #expect(try await store.turns(of: record.key, .all).isEmpty)
      #expect(try await store.items(of: record.key, responseID: nil, .all).isEmpty)
      #expect(try await store.messages(of: record.key, .all).isEmpty)
    }
  }

  @Test(arguments: Kind.allCases)
  func turnsComeOldestFirstInPagesAndWithoutRewoundOnes(_ kind: Kind) async throws {
    try await withStore(kind) { store in
      let record = Sample.session("one")
      try await store.commit([.create(record)])
      for number in 1...5 {
        try await store.commit([
          .turn(Sample.turn("t\(number)", in: record), record.key),
          .item(Sample.item("t\(number)", 0), record.key),
        ])
      }
      var rewound = Sample.turn("t3", in: record)
      rewound.isRewound = true
      try await store.commit([.turn(rewound, record.key)])
      let first = try await store.turns(of: record.key, StorePage(limit: 2))
      #expect(first.map(\.value.id) == ["t1", "t2"])
      let rest = try await store.turns(
        of: record.key, StorePage(after: first[1].position, limit: 10))
      #expect(rest.map(\.value.id) == ["t4", "t5"])
      let items = try await store.items(of: record.key, responseID: nil, .all)
      #expect(items.map(\.value.responseID) == ["t1", "t2", "t4", "t5"])
      let one = try await store.items(of: record.key, responseID: "t4", .all)
      #expect(one.map(\.value.responseID) == ["t4"])
    }
  }

  @Test(arguments: Kind.allCases)
  func aTurnIsWrittenOverItselfAndFoundByItsRequest(_ kind: Kind) async throws {
    try await withStore(kind) { store in
      let record = Sample.session("one")
      var turn = Sample.turn("t1", in: record)
      try await store.commit([.create(record), .turn(turn, record.key)])
      turn.status = .completed
      turn.answer = "It is on its way."
      turn.finishedAt = Date(millisecondsSince1970: 9)
      try await store.commit([.turn(turn, record.key)])
      #expect(try await store.turns(of: record.key, .all).map(\.value) == [turn])
      #expect(try await store.turn(of: record.key, requestID: "t1-request") == turn)
      #expect(try await store.turn(of: record.key, requestID: "other") == nil)
      var second = Sample.turn("t2", in: record)
      second.requestID = turn.requestID
      await #expect(throws: StoreError.requestExists("t1-request")) {
        try await store.commit([.turn(second, record.key)])
      }
    }
  }

  @Test(arguments: Kind.allCases)
  func everyConditionOfAFilterHasToMatch(_ kind: Kind) async throws {
    try await withStore(kind) { store in
      var wanted = Sample.session("wanted")
      wanted.labels.projectID = "support"
      wanted.labels.custom = ["ticket": "4721", "more": 1]
      wanted.labels.title = "Late Parcel"
      wanted.state = .ended
      wanted.createdAt = Date(millisecondsSince1970: 1000)
      var other = Sample.session("other", user: "anna")
      other.createdAt = Date(millisecondsSince1970: 2000)
      try await store.commit([.create(wanted), .create(other)])

      func found(_ change: (inout SessionFilter) -> Void) async throws -> [String] {
        var filter = SessionFilter()
        change(&filter)
        return try await store.sessions(
          SessionSelection(app: "app", filter: filter, limit: 10)
        ).map(\.id)
      }
      #expect(try await found { $0.projectID = "support" } == ["wanted"])
      #expect(try await found { $0.state = .ended } == ["wanted"])
      #expect(try await found { $0.userID = "anna" } == ["other"])
      #expect(try await found { $0.custom = ["ticket": "4721"] } == ["wanted"])
      #expect(try await found { $0.custom = ["more": "1"] } == [])
      #expect(try await found { $0.text = "parcel LATE" } == ["wanted"])
      #expect(try await found { $0.text = "parcel gone" } == [])
      #expect(try await found { $0.createdSince = Date(millisecondsSince1970: 1001) } == ["other"])
      #expect(
        try await found { $0.createdBefore = Date(millisecondsSince1970: 2000) } == ["wanted"])
      #expect(
        try await found {
          $0.state = .ended
          $0.userID = "anna"
        } == [])
    }
  }

  @Test(arguments: Kind.allCases)
  func pagesFollowTheLatestActivityWithoutGapOrRepetition(_ kind: Kind) async throws {
    try await withStore(kind) { store in
      for number in 0..<7 {
        var record = Sample.session("s\(number)")
        // Several share a moment: then the id decides.
        record.updatedAt = Date(millisecondsSince1970: number / 3)
        try await store.commit([.create(record)])
      }
      var selection = SessionSelection(app: "app", limit: 3)
      var seen: [String] = []
      while true {
        let page = try await store.sessions(selection)
        guard let last = page.last else { break }
        seen += page.map(\.id)
        selection.after = selection.position(of: last)
      }
      #expect(seen == ["s6", "s5", "s4", "s3", "s2", "s1", "s0"])
    }
  }

  @Test(arguments: Kind.allCases)
  func anotherOwnerOfTheSameNameSeesNothing(_ kind: Kind) async throws {
    try await withStore(kind) { store in
      try await store.commit([.create(Sample.session("one", user: "jlahey"))])
      let user = SessionOwner(kind: .user, userID: "jlahey")
      let guest = SessionOwner(kind: .guest, userID: "jlahey")
      let mine = SessionSelection(app: "app", owner: user, limit: 10)
      let theirs = SessionSelection(app: "app", owner: guest, limit: 10)
      #expect(try await store.sessions(mine).map(\.id) == ["one"])
      #expect(try await store.sessions(theirs).isEmpty)
    }
  }
}
