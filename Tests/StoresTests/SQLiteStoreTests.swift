import Foundation
import SessionsModel
import Testing

@testable import Stores

@Suite struct SQLiteStoreTests {
  @Test func whatWasCommittedIsThereWhenTheFileIsOpenedAgain() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path("sessions.db")
    let record = Sample.session("one")
    let first = try await SQLiteStore.open(path: path)
    try await first.commit([
      .create(record), .turn(Sample.turn("t1", in: record), record.key),
      .item(Sample.item("t1", 0), record.key), .message(Sample.message("m1"), record.key),
    ])
    await first.close()

    let second = try await SQLiteStore.open(path: path)
    #expect(try await second.session("one", app: "app") == record)
    #expect(try await second.liveSessions() == [record])
    #expect(
      try await second.turns(of: record.key, .all).map(\.value) == [Sample.turn("t1", in: record)])
    #expect(
      try await second.items(of: record.key, responseID: nil, .all).map(\.value)
        == [Sample.item("t1", 0)])
    #expect(
      try await second.messages(of: record.key, .all).map(\.value) == [Sample.message("m1")])
    await second.close()
  }

  @Test func whatPeopleSaidIsForTheOwnerOfTheFilesOnly() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let store = try await SQLiteStore.open(path: folder.path("sessions.db"))
    try await store.commit([.create(Sample.session("one"))])
    for suffix in ["", "-wal"] {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: folder.path("sessions.db\(suffix)"))
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
    await store.close()
  }

  /// A copy of the files as a killed process leaves them: the log was not folded back.
  @Test func whatWasCommittedSurvivesAKillBeforeTheFileIsClosed() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let store = try await SQLiteStore.open(path: folder.path("sessions.db"))
    for number in 0..<20 { try await store.commit([.create(Sample.session("s\(number)"))]) }
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: folder.path("sessions.db\(suffix)"), toPath: folder.path("copy.db\(suffix)"))
    }
    await store.close()

    let copy = try await SQLiteStore.open(path: folder.path("copy.db"))
    #expect(try await copy.liveSessions().count == 20)
    await copy.close()
  }

  @Test func writersThatWaitTogetherAllSucceedOrFailOnTheirOwn() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let store = try await SQLiteStore.open(path: folder.path("sessions.db"))
    let refused = await withTaskGroup { group in
      for number in 0..<200 {
        group.addTask {
          do throws(StoreError) {
            // Every id is created twice; exactly one of the two may win.
            try await store.commit([.create(Sample.session("s\(number / 2)"))])
            return 0
          } catch {
            return error == .sessionExists("s\(number / 2)") ? 1 : 1000
          }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(refused == 100)
    #expect(try await store.liveSessions().count == 100)
    await store.close()
  }

  @Test func aFileThatIsNoDatabaseIsNamedInTheError() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path("sessions.db")
    try Data(repeating: 0x41, count: 8192).write(to: URL(filePath: path))
    let error = await #expect(throws: StoreError.self) {
      _ = try await SQLiteStore.open(path: path)
    }
    #expect("\(try #require(error))".contains(path))
  }

  @Test func aFileOfANewerRouterIsLeftAlone() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path("sessions.db")
    let database = try SQLiteDatabase(path: path)
    try database.execute("PRAGMA user_version = 999")
    await #expect(throws: StoreError.self) { _ = try await SQLiteStore.open(path: path) }
    #expect(try database.integer("PRAGMA user_version") == 999)
  }

  @Test func aClosedStoreRefusesInsteadOfWaiting() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let store = try await SQLiteStore.open(path: folder.path("sessions.db"))
    await store.close()
    await #expect(throws: StoreError.failed("the store is closed")) {
      try await store.commit([.create(Sample.session("one"))])
    }
  }
}
