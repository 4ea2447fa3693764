import Testing

@testable import AgentRouter

@Suite struct CallRoomTests {
  private func join(
    _ room: inout CallRoom, device: String, watcher: String, id: String, token: String
  ) -> CallRoom.Admission? {
    room.join(deviceID: device, userID: "ann", watcherID: watcher, newID: id, token: token)
  }

  @Test func theFirstOneIsHeardTheOthersListen() {
    var room = CallRoom()
    _ = join(&room, device: "d1", watcher: "w1", id: "p1", token: "t1")
    _ = join(&room, device: "d2", watcher: "w2", id: "p2", token: "t2")
    #expect(room.publisher?.id == "p1")
    #expect(room.members.map(\.index) == [1, 2])
    _ = room.leave("p1")
    #expect(room.publisher?.id == "p2")
  }

  @Test func aTokenWorksOnceAndForItsMember() {
    var room = CallRoom()
    _ = join(&room, device: "d1", watcher: "w1", id: "p1", token: "t1")
    #expect(room.redeem("t1") == "p1")
    #expect(room.redeem("t1") == nil)
    #expect(room.redeem("guess") == nil)
  }

  @Test func theSameDeviceTakesItsOwnPlaceOver() throws {
    var room = CallRoom()
    _ = join(&room, device: "d1", watcher: "w1", id: "p1", token: "t1")
    let again = try #require(join(&room, device: "d1", watcher: "w2", id: "p9", token: "t2"))
    #expect(again.member.id == "p1")
    #expect(again.takenOver == "w1")
    #expect(!again.isNew)
    #expect(room.members.count == 1)
    #expect(room.redeem("t2") == "p1")
  }

  @Test func aDeviceThatComesBackInTimeKeepsItsPlace() throws {
    var room = CallRoom()
    _ = join(&room, device: "d1", watcher: "w1", id: "p1", token: "t1")
    room.update("p1") { $0.isMuted = true }
    let lost = try #require(room.lost(watcherID: "w1").first)
    #expect(room.isStillAbsent("p1", absence: lost.absences))
    let back = try #require(join(&room, device: "d1", watcher: "w2", id: "p2", token: "t2"))
    #expect(back.takenOver == nil)
    #expect(back.member.isMuted)
    #expect(!room.isStillAbsent("p1", absence: lost.absences))
  }

  @Test func anotherWatcherThatGoesTakesNobodyAwayWithIt() {
    var room = CallRoom()
    _ = join(&room, device: "d1", watcher: "w1", id: "p1", token: "t1")
    _ = join(&room, device: "d2", watcher: "w2", id: "p2", token: "t2")
    #expect(room.lost(watcherID: "w1").map(\.id) == ["p1"])
    #expect(room.lost(watcherID: "somebody else's").isEmpty)
    #expect(room.lost(watcherID: "w2").map(\.id) == ["p2"])
  }

  @Test func aFullCallRefuses() {
    var room = CallRoom()
    for index in 0..<CallRoom.membersAtMost {
      #expect(
        join(&room, device: "d\(index)", watcher: "w", id: "p\(index)", token: "t\(index)") != nil)
    }
    #expect(join(&room, device: "late", watcher: "w", id: "late", token: "late") == nil)
    #expect(room.redeem("late") == nil)
  }
}
