import Foundation
import SessionsModel
import Testing

@testable import VisionAgentsCore

struct TurnListTests {
  private let time = Date(timeIntervalSince1970: 0)

  @Test func aWrittenTurnIsOverWhenItIsAnswered() {
    var list = TurnList(sessionID: "s1")
    _ = list.apply(turn(.responding, ["prompt": "Where?", "request_id": "q1"]), at: time)
    #expect(list.turns.map(\.status) == [.running])
    #expect(list.turns[0].said == "Where?")
    #expect(list.turns[0].requestID == "q1")
    _ = list.apply(turn(.responded, ["pending_work": true]), at: time)
    #expect(list.turns.map(\.status) == [.running])
    _ = list.apply(turn(.responded, ["pending_work": false]), at: time)
    #expect(list.turns.map(\.status) == [.completed])
  }

  @Test func onACallATurnIsOverWhenItWasHeard() {
    var list = TurnList(sessionID: "s1")
    _ = list.apply(Frame(.participantJoined, ["participant": ["id": "p1"]]), at: time)
    _ = list.apply(turn(.responding), at: time)
    _ = list.apply(turn(.responded), at: time)
    #expect(list.turns.map(\.status) == [.running])
    _ = list.apply(turn(.heardOut), at: time)
    #expect(list.turns.map(\.status) == [.completed])
  }

  @Test func cutAndFailedTurnsSaySo() {
    var list = TurnList(sessionID: "s1")
    _ = list.apply(turn(.responding), at: time)
    _ = list.apply(turn(.interrupted), at: time)
    #expect(list.turns.map(\.status) == [.cancelled])
    _ = list.apply(Frame(.responding, ["turn_id": "t2"]), at: time)
    _ = list.apply(Frame(.error, ["turn_id": "t2", "error": "no model"]), at: time)
    #expect(list.turns.map(\.status) == [.cancelled, .failed])
    #expect(list.turns[1].error == "no model")
    _ = list.apply(turn(.responded), at: time)
    #expect(list.turns.map(\.status) == [.cancelled, .failed], "late news changes nothing")
  }

  private func turn(
    _ type: FrameType, _ fields: [String: SessionsModel.JSONValue] = [:]
  ) -> Frame {
    Frame(type, fields.merging(["turn_id": "t1"]) { field, _ in field })
  }
}
