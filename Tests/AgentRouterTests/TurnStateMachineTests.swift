import Providers
import Stores
import Testing

@testable import AgentRouter

@Suite struct TurnStateMachineTests {
  private func turn(_ id: String, _ origin: TurnRecord.Origin = .typed) -> Turn {
    Turn(id: id, requestID: "r-\(id)", origin: origin, text: "text of \(id)")
  }

  private func running(_ id: String, _ origin: TurnRecord.Origin = .typed) -> TurnStateMachine {
    var machine = TurnStateMachine()
    _ = machine.submit(turn(id, origin))
    return machine
  }

  private let call = ModelToolCall(id: "c1", name: "lookup", arguments: "{}")

  @Test func aTypedTurnGoesFromTheModelToItsEnd() {
    var machine = TurnStateMachine()
    #expect(
      machine.submit(turn("a")) == [.begin(turn("a")), .askModel(turnID: "a", step: 0)])
    #expect(machine.modelAnswered("a", calls: []) == [.endSpeech(turnID: "a")])
    #expect(machine.sounded("a") == [.finish(turnID: "a", outcome: .completed)])
    #expect(machine.running == nil)
  }

  @Test func aSayWaitsForTheReplyInProgress() {
    var machine = running("a")
    #expect(machine.submit(turn("b", .say)) == [])
    _ = machine.modelAnswered("a", calls: [])
    #expect(
      machine.sounded("a") == [
        .finish(turnID: "a", outcome: .completed), .begin(turn("b", .say)),
        .speakWords(turn("b", .say)),
      ])
    #expect(machine.wordsSpoken("b") == [.endSpeech(turnID: "b")])
  }

  @Test func aPreemptingTurnCutsTheRunningOneAndLeavesTheQueue() {
    var machine = running("a")
    _ = machine.submit(turn("b", .say))
    #expect(
      machine.preempt(with: turn("c", .spoken)) == [
        .cut(turnID: "a"), .finish(turnID: "a", outcome: .cancelled), .begin(turn("c", .spoken)),
        .askModel(turnID: "c", step: 0),
      ])
    #expect(machine.waiting == [turn("b", .say)])
  }

  @Test func toolsLeadBackToTheModel() {
    var machine = running("a")
    #expect(
      machine.modelAnswered("a", calls: [call]) == [.runTools(turnID: "a", calls: [call])])
    #expect(machine.toolsSettled("a") == [.askModel(turnID: "a", step: 1)])
    #expect(machine.toolsSettled("a") == [])
  }

  @Test func toolsAreNotCalledWithoutEnd() {
    var machine = running("a")
    for _ in 1..<TurnStateMachine.stepsAtMost {
      _ = machine.modelAnswered("a", calls: [call])
      _ = machine.toolsSettled("a")
    }
    let failure = TurnFailure(.model, "The model called tools 8 times.")
    #expect(
      machine.modelAnswered("a", calls: [call]) == [
        .reportFailure(turnID: "a", failure: failure), .endSpeech(turnID: "a"),
      ])
    #expect(
      machine.sounded("a") == [.finish(turnID: "a", outcome: .failed(failure.sentence))])
  }

  @Test func aFailureIsReportedAndTheNextTurnBegins() {
    var machine = running("a")
    _ = machine.submit(turn("b"))
    let failure = TurnFailure(.model, "429")
    #expect(
      machine.failed("a", failure) == [
        .reportFailure(turnID: "a", failure: failure), .endSpeech(turnID: "a"),
      ])
    #expect(machine.failed("a", failure) == [])
    #expect(machine.sounded("a").dropFirst().first == .begin(turn("b")))
  }

  @Test func anInterruptStopsOnlyTheReplyToItsRequest() {
    var machine = running("a")
    _ = machine.submit(turn("b"))
    #expect(machine.interrupt(requestID: "r-x") == [.ignoreInterrupt(requestID: "r-x")])
    #expect(machine.interrupt(requestID: "r-b") == [.drop(turn("b"))])
    #expect(
      machine.interrupt(requestID: "r-a") == [
        .cut(turnID: "a"), .finish(turnID: "a", outcome: .cancelled),
      ])
    #expect(machine.interrupt(requestID: "r-a") == [.ignoreInterrupt(requestID: "r-a")])
    #expect(machine.interrupt(requestID: nil) == [.ignoreInterrupt(requestID: nil)])
  }

  @Test func reportsOfATurnThatIsGoneChangeNothing() {
    var machine = running("a")
    _ = machine.interrupt(requestID: nil)
    _ = machine.submit(turn("b"))
    #expect(machine.modelAnswered("a", calls: []) == [])
    #expect(machine.sounded("a") == [])
    #expect(machine.failed("a", TurnFailure(.model, "late")) == [])
    #expect(machine.running == turn("b"))
  }

  @Test func theQueueIsBounded() {
    var machine = running("a")
    for index in 0..<TurnStateMachine.waitingAtMost {
      #expect(machine.submit(turn("w\(index)")) != nil)
    }
    #expect(machine.submit(turn("one too many")) == nil)
  }

  @Test func theEndCutsAndDropsEverything() {
    var machine = running("a")
    _ = machine.submit(turn("b"))
    #expect(
      machine.end() == [
        .cut(turnID: "a"), .finish(turnID: "a", outcome: .cancelled), .drop(turn("b")),
      ])
    #expect(machine.end() == [])
  }
}
