import Networking
import Providers
import SessionsModel
import Simulation
import Stores
import Testing

@testable import AgentRouter

/// Sessions in writing.
@Suite struct LiveSessionWritingTests {
  private let question = "What is the capital of France?"
  private let answers = ["What is the capital of France?": "It is Paris. Anything else?"]

  @Test func aTypedTurnTellsItsStoryInOrderAndIsStored() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime, answers: answers)
      let reader = await bench.watch()
      let response = try await bench.ask(question, id: "req-1")
      #expect(response.status == .running)
      let frames = await reader.until(.turn)
      #expect(
        frames.story == ["snapshot", "responding", "response_delta", "responded", "turn"])
      #expect(frames.text == "It is Paris. Anything else?")
      #expect(frames.states == ["responding", "idle"])
      let ofTurn = frames.filter { $0.turnID == response.id }
      #expect(ofTurn.count > 3)
      #expect(ofTurn.allSatisfy { $0.requestID == "req-1" })
      #expect(frames.first(.responded)?["pending_work"] == false)
      #expect(frames.first(.turn)?["v2v_ms"] == .null)
      try await runtime.sleep(for: .milliseconds(10))
      let turn = try #require(await bench.storedTurns().first)
      #expect(turn.status == .completed)
      #expect(turn.answer == "It is Paris. Anything else?")
      #expect(await bench.session.record.usage.requests == 1)
    }
  }

  @Test func theNextPromptHasTheHistoryInTheStandardForm() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime, answers: answers)
      let reader = await bench.watch()
      _ = try await bench.ask(question)
      _ = await reader.until(.turn)
      _ = try await bench.ask("And of Spain?")
      _ = await reader.until(.turn)
      #expect(
        bench.model.prompts.last?.messages == [
          ModelMessage(.system, "Be brief."), ModelMessage(.user, question),
          ModelMessage(.assistant, "It is Paris. Anything else?"),
          ModelMessage(.user, "And of Spain?"),
        ])
    }
  }

  @Test func wordsThatCannotBeStoredAreToldOfOnce() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime, answers: answers)
      let reader = await bench.watch()
      // The store loses the session behind its back.
      try await bench.store.commit([.delete(SessionKey(app: "app", id: "s1"))])
      try await bench.session.say("Hello.", interrupt: false)
      try await bench.session.say("And goodbye.", interrupt: false)
      try await runtime.sleep(for: .milliseconds(10))
      await bench.session.end(reason: "test")
      let frames = await reader.until(.left)
      #expect(frames.filter { $0.type == .error }.map { $0["context"] } == ["store"])
    }
  }

  @Test func theSameRequestAgainStartsNoSecondTurn() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime)
      let first = try await bench.ask(question, id: "req-1")
      let again = try await bench.ask(question, id: "req-1")
      #expect(again.id == first.id)
      await #expect(throws: APIError.self) { try await bench.ask("other", id: "req-1") }
      try await runtime.sleep(for: .seconds(5))
      let after = try await bench.ask(question, id: "req-1")
      #expect(after.id == first.id)
      #expect(after.status == .completed)
      #expect(bench.model.prompts.count == 1)
    }
  }

  @Test func aSayWaitsForTheReplyAndOneThatInterruptsDoesNot() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime, answers: answers)
      let reader = await bench.watch()
      _ = try await bench.ask(question)
      try await bench.session.say("One moment.", interrupt: false)
      var frames = await reader.until(.turn)
      frames += await reader.until(.turn)
      #expect(frames.text == "It is Paris. Anything else?One moment.")

      _ = try await bench.ask(question)
      try await runtime.sleep(for: .milliseconds(80))
      try await bench.session.say("Stop.", interrupt: true)
      frames = await reader.until(.turn)
      #expect(frames.story.suffix(2) == ["interrupted", "turn"])
      frames = await reader.until(.turn)
      #expect(frames.text == "Stop.")
      try await runtime.sleep(for: .milliseconds(10))
      let turns = await bench.storedTurns()
      #expect(turns.map(\.status) == [.completed, .completed, .cancelled, .completed])
      #expect(turns[2].isInterrupted)
      #expect(turns[2].answer.isEmpty == false)
      #expect("It is Paris. Anything else?".hasPrefix(turns[2].answer))
    }
  }

  @Test func anInterruptOfAnotherRequestIsIgnoredAndSaysSo() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime, answers: answers)
      let reader = await bench.watch()
      _ = try await bench.ask(question, id: "req-1")
      await bench.session.handle(
        command: ["type": "interrupt", "request_id": "req-x"], from: reader.watcher)
      var frames = await reader.until(.turn)
      #expect(frames.first("interrupt_ignored")?.requestID == "req-x")
      #expect(frames.text == "It is Paris. Anything else?")
      _ = try await bench.ask(question, id: "req-2")
      await bench.session.handle(
        command: ["type": "interrupt", "request_id": "req-2"], from: reader.watcher)
      frames = await reader.until(.turn)
      #expect(frames.story == ["responding", "interrupted", "turn"])
    }
  }

  private let lookup = SessionTool(
    name: "lookup_order", description: "Where an order is",
    parameters: ["type": "object", "properties": ["order": ["type": "string"]]])

  @Test func aForcedToolRunsAtTheWatcherThatDeclaredItAndTheModelSeesItsResult() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime, tools: [lookup]) { agent in
        agent.toolChoice = "lookup_order"
      }
      let observer = await bench.watch("observer")
      let reader = await bench.watch("client", tools: ["lookup_order"])
      let response = try await bench.ask("Where is order 1042?")
      var frames = await reader.until(.toolStarted)
      let call = try #require(frames.first(.toolCall))
      #expect(call["arguments"] == #"{"order":"1042"}"#)
      await bench.session.handle(
        command: [
          "type": "tool_result", "tool_call_id": call["id"] ?? "", "output": "in Utrecht",
          "turn_id": .string(response.id),
        ], from: reader.watcher)
      frames += await reader.until(.turn)
      #expect(
        frames.story == [
          "snapshot", "responding", "responded", "tool_call", "tool_started", "tool_ran",
          "response_delta", "responded", "turn",
        ])
      #expect(
        frames.filter { $0.type == .responded }.map { $0["pending_work"] } == [true, false])
      #expect(frames.text == "The tool says: in Utrecht.")
      let seen = await observer.until(.turn)
      #expect(!seen.contains { $0.type == .toolCall })
      #expect(bench.model.prompts.map(\.toolChoice) == [.tool(name: "lookup_order"), .automatic])
    }
  }

  @Test func wordsBeforeACallStandOnceInTheHistoryAndApartInTheAnswer() throws {
    try simulated { runtime in
      let bench = try await SessionBench(
        runtime, wordsBeforeCall: "One moment.", tools: [lookup]
      ) { agent in
        agent.toolChoice = "lookup_order"
      }
      let reader = await bench.watch("client", tools: ["lookup_order"])
      _ = try await bench.ask("Where is order 1042?")
      _ = await reader.until(.toolStarted)
      await bench.session.handle(
        command: ["type": "tool_result", "tool_call_id": "call-1", "output": "in Utrecht"],
        from: reader.watcher)
      let frames = await reader.until(.turn)
      #expect(
        frames.first(.responded)?["text"] == "One moment.\nThe tool says: in Utrecht.")
      _ = try await bench.ask("Thank you.")
      _ = await reader.until(.toolStarted)
      let past = try #require(bench.model.prompts.last).messages.filter { $0.role == .assistant }
      #expect(past.map(\.content) == ["One moment.\n", "The tool says: in Utrecht."])
    }
  }

  @Test func newInstructionsHoldFromTheNextTurnOn() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime, tools: [lookup]) { agent in
        agent.toolChoice = "lookup_order"
      }
      let reader = await bench.watch("client", tools: ["lookup_order"])
      _ = try await bench.ask("Where is order 1042?")
      _ = await reader.until(.toolStarted)
      var change = UpdateSessionRequest()
      change.instructions = "Be long."
      _ = try await bench.session.update(change)
      await bench.session.handle(
        command: ["type": "tool_result", "tool_call_id": "call-1", "output": "in Utrecht"],
        from: reader.watcher)
      _ = await reader.until(.turn)
      _ = try await bench.ask("Thank you.")
      _ = await reader.until(.toolStarted)
      #expect(
        bench.model.prompts.map { $0.messages[0].content } == [
          "Be brief.", "Be brief.", "Be long.",
        ])
    }
  }

  @Test func aToolNobodyCanRunFailsAtOnceInWords() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime, tools: [lookup]) { agent in
        agent.toolChoice = "lookup_order"
      }
      _ = try await bench.ask("Where is order 1042?")
      try await runtime.sleep(for: .seconds(1))
      #expect(
        bench.model.prompts.last?.messages.last?.content
          == "The tool failed: no client that can run it is connected")
    }
  }

  @Test func aToolThatDoesNotAnswerFailsAfterItsLimitAndItsLateResultIsDropped() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime, tools: [lookup]) { agent in
        agent.toolChoice = "lookup_order"
      }
      let reader = await bench.watch("client", tools: ["lookup_order"])
      _ = try await bench.ask("Where is order 1042?")
      let start = runtime.now
      let frames = await reader.until(.toolRan)
      #expect(runtime.now - start > .seconds(29))
      #expect(frames.last?["error"] == "it did not answer within 30000.0 ms")
      let id = frames.last?["tool_call_id"] ?? ""
      await bench.session.handle(
        command: ["type": "tool_result", "tool_call_id": id, "output": "late"],
        from: reader.watcher)
      let rest = await reader.until(.turn)
      #expect(!rest.contains { $0.type == .toolRan })
    }
  }

  @Test func aFailingModelEndsItsTurnWithAnErrorAndTheNextOneWorks() throws {
    try simulated { runtime in
      let bench = try await SessionBench(
        runtime, answers: answers, modelFaults: [0: .rateLimited, 1: .crash, 2: .hang])
      let reader = await bench.watch()
      for expected in ["too many requests", "died", "said nothing for 12000"] {
        _ = try await bench.ask(question)
        let frames = await reader.until(.turn)
        #expect(frames.story.suffix(3) == ["responding", "error", "turn"])
        #expect(frames.first(.error)?["context"] == "llm")
        #expect(frames.first(.error)?["error"]?.stringValue?.contains(expected) == true)
      }
      _ = try await bench.ask(question)
      #expect(await reader.until(.turn).text == "It is Paris. Anything else?")
      try await runtime.sleep(for: .milliseconds(10))
      #expect(
        await bench.storedTurns().map(\.status) == [.failed, .failed, .failed, .completed])
    }
  }

  @Test func aWatcherThatComesBackGetsWhatItMissed() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime, answers: answers)
      let reader = await bench.watch()
      let snapshot = try #require(await reader.until(.snapshot).first)
      await bench.session.detach(reader.watcher, normally: false)
      _ = try await bench.ask(question)
      try await runtime.sleep(for: .seconds(2))
      var options = WatchOptions()
      options.isVersion2 = true
      let watcher = EventWatcher(id: "w2", caller: reader.watcher.caller, options: options)
      await bench.session.attach(
        watcher, resumingAfter: snapshot.seq, stream: snapshot["stream"]?.stringValue)
      let frames = await FrameReader(watcher: watcher).until(.turn)
      #expect(frames.first?["gap"] == false)
      #expect(frames.text == "It is Paris. Anything else?")
    }
  }

  @Test func theEndIsToldStoredAndFinal() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime, answers: answers)
      let reader = await bench.watch()
      _ = try await bench.ask(question)
      await bench.session.handle(command: ["type": "close"], from: reader.watcher)
      let frames = await reader.until { _ in false }
      #expect(frames.story.suffix(2) == ["turn", "left"])
      let stored = await bench.store.session("s1", app: "app")
      #expect(stored?.state == .ended)
      await #expect(throws: APIError.self) { try await bench.ask("Still there?") }
      #expect(await bench.storedTurns().first?.status == .cancelled)
    }
  }

  @Test func anUnknownCommandIsAnErrorFrameAndTheSocketStays() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime)
      let reader = await bench.watch()
      await bench.session.handle(command: ["type": "dance"], from: reader.watcher)
      let frames = await reader.until(.error)
      #expect(frames.last?["context"] == "command")
      #expect(reader.watcher.waitingFrames == 0)
    }
  }
}
