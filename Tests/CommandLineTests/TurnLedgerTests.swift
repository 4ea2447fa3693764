import SessionsModel
import Testing

@testable import VisionAgentsCore
@testable import voice

@Suite struct TurnLedgerTests {
  private func ledger(of events: [(FrameType, [String: JSONValue])]) -> TurnLedger {
    var ledger = TurnLedger(hasModel: true)
    for (type, fields) in events { _ = ledger.take(AgentEvent(Frame(type, fields))) }
    return ledger
  }

  @Test func aQuestionThatTheModelAnsweredCounts() {
    let turns = ledger(of: [
      (.heard, ["text": "What is it?"]),
      (.responding, ["turn_id": "t1", "prompt": "What is it?"]),
      (.responded, ["turn_id": "t1", "text": "A clock."]),
    ]).turns
    #expect(turns.map(\.wasAsked) == [true] && turns.map(\.answeredByModel) == [true])
    #expect(turns.map(\.question) == ["What is it?"])
  }

  /// Seen on a machine so busy that the recogniser gave up: the apology was reported as an answer.
  @Test func anApologyForWhatWasNotUnderstoodIsNoAnswerOfTheModel() {
    let turns = ledger(of: [
      (.error, ["context": "stt", "error": "The recogniser had no words."]),
      (.responding, ["turn_id": "t1", "prompt": ""]),
      (.responded, ["turn_id": "t1", "text": "Sorry, I can't answer that right now."]),
    ]).turns
    #expect(turns.map(\.wasAsked) == [false] && turns.map(\.answeredByModel) == [false])
  }

  @Test func aGreetingTakesNobodysQuestion() {
    let turns = ledger(of: [
      (.heard, ["text": "What is it?"]),
      (.responding, ["turn_id": "greeting", "prompt": ""]),
      (.responded, ["turn_id": "greeting", "text": "Hello."]),
      (.responding, ["turn_id": "t1", "prompt": "What is it?"]),
      (.responded, ["turn_id": "t1", "text": "A clock."]),
    ]).turns
    #expect(turns.map(\.question) == ["", "What is it?"])
    #expect(turns.map(\.answeredByModel) == [false, true])
  }
}
