import Foundation
import Networking
import Providers
import SessionsModel
import Simulation
import Testing
import VisionAgentsCore

extension Rules {
  @MainActor struct RespondingRules {
    @Test(
      "R1 the model is changed in mid-conversation and the history goes with it",
      arguments: RuleWorld.Kind.allCases)
    func historyFollows(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        try await world.ask(session, "My order is 1042.")
        try await world.backend.sessions.update(session.id, SessionChanges(llm: "llm-thinking"))
        try await world.ask(session, "Where is it?")
        #expect(
          world.thinking.prompts.last?.messages.map(\.content) == [
            "Be brief.", "My order is 1042.", "I heard My order is 1042..", "Where is it?",
          ])
      }
    }

    @Test(
      "R3 R4 R6 R7 R84 R151 R162 a question is answered on the events taken before it",
      arguments: RuleWorld.Kind.allCases)
    func question(_ kind: RuleWorld.Kind) async throws {
      let settings = RuleWorld.Settings(answers: ["Where is order 1042?": "It is on its way."])
      try await RuleWorld.with(kind, settings) { world in
        let session = try await world.agent.sessions.create()
        await session.start()
        #expect(session.isConnected)
        let events = session.events()
        let response = try await session.responses.create("Where is order 1042?")
        var seen: [AgentEvent] = []
        for await event in events {
          seen.append(event)
          if event.kind == .responded { break }
        }
        #expect(seen.words == "It is on its way.")
        #expect(seen.first(.responding)?.fields["prompt"] == "Where is order 1042?")
        let ofTurn = seen.filter { !$0.turnID.isEmpty }
        #expect(ofTurn.count > 3 && ofTurn.allSatisfy { $0.turnID == response.id })
        #expect(seen.last?.pendingWork == false)
        let listed = try await session.responses.list().items
        #expect(listed.map(\.id) == [response.id])
        #expect(listed.first?.said == "Where is order 1042?")
      }
    }

    @Test(
      "R7 R86 R153 every reader has everything, in order, until the session ends",
      arguments: RuleWorld.Kind.allCases)
    func readers(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        await session.start()
        let (first, second) = (session.events(), session.events())
        // Nobody reads the second one yet; the first must not wait for it.
        try await world.ask(session, "one")
        try await world.ask(session, "two")
        await session.close()
        var (one, two): ([AgentEvent], [AgentEvent]) = ([], [])
        for await event in first { one.append(event) }
        for await event in second { two.append(event) }
        #expect(one == two)
        #expect(one.all(.turn).count == 2)
        #expect(one.last(where: { $0.kind != .sessionState })?.kind == .left)
        #expect(session.state == .ended)
        for await _ in session.events() { Issue.record("an ended session tells nothing") }
      }
    }

    @Test(
      "R150 text can be sent over the socket too, and a mistake is answered there",
      arguments: RuleWorld.Kind.allCases)
    func overTheSocket(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        let socket = try await world.socket(session.id)
        await socket.send(.text(#"{"type":"respond","text":"hello","command_id":"c-1"}"#))
        let frames = try await world.frames(socket, until: .turn)
        #expect(frames.first { $0.type == .responded }?["text"] == "I heard hello.")
        #expect(frames.first { $0.type == .responded }?.requestID == "c-1")
        await socket.send(.text(#"{"type":"dance"}"#))
        await socket.send(.text("no json"))
        for _ in 1...2 {
          let error = try await world.frames(socket, until: .error).last
          #expect(error?["context"] == "command")
        }
        await socket.send(.text(#"{"type":"respond","text":"again"}"#))
        #expect(try await world.frames(socket, until: .turn).last != nil)
        await socket.close(code: 1000, reason: "")
      }
    }

    @Test(
      "R152 R156 say writes the words as they are, after the reply in progress",
      arguments: RuleWorld.Kind.allCases)
    func say(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        await session.start()
        let events = session.events()
        try await session.responses.create("hello")
        try await session.say("Hi, I can help with your order.")
        var seen: [AgentEvent] = []
        for await event in events {
          seen.append(event)
          if seen.all(.turn).count == 2 { break }
        }
        #expect(seen.words == "I heard hello.Hi, I can help with your order.")
        #expect(world.model.prompts.count == 1, "the model was not asked for the say")
        #expect(try await session.responses.list().items.map(\.status) == [.completed, .completed])
      }
    }

    @Test("R149 R154 say with interrupt stops the reply first, and so does interrupt")
    func interrupt() async throws {
      try await RuleWorld.with { world in
        let session = try await world.agent.sessions.create()
        await session.start()
        let events = session.events()
        let first = try await session.responses.create("hello there my friend")
        try await world.runtime.sleep(for: .milliseconds(75))
        try await session.say("Stop.", interrupt: true)
        let second = try await session.responses.create("and again my friend")
        try await world.runtime.sleep(for: .milliseconds(75))
        try await session.interrupt()
        var seen: [AgentEvent] = []
        for await event in events {
          seen.append(event)
          if seen.all(.turn).count == 3 { break }
        }
        #expect(seen.all(.interrupted).map(\.turnID) == [first.id, second.id])
        #expect(seen.all(.responded).map(\.text) == ["Stop."])
        let turns = try await session.responses.list().items
        #expect(turns.map(\.status) == [.cancelled, .completed, .cancelled])
      }
    }

    @Test("R155 interrupt of a request stops only its reply; another one is ignored and said so")
    func interruptOne() async throws {
      try await RuleWorld.with { world in
        let session = try await world.agent.sessions.create()
        await session.start()
        let events = session.events()
        try await session.responses.create("one two three four", requestID: "q1")
        try await session.responses.create("five six", requestID: "q2")
        try await session.interrupt(requestID: "q-unknown")
        try await world.runtime.sleep(for: .milliseconds(75))
        try await session.interrupt(requestID: "q1")
        var seen: [AgentEvent] = []
        for await event in events {
          seen.append(event)
          if event.kind == .turn, event.requestID == "q2" { break }
        }
        #expect(seen.all(.interruptIgnored).map(\.requestID) == ["q-unknown"])
        #expect(seen.all(.interrupted).map(\.requestID) == ["q1"])
        #expect(seen.all(.responded).map(\.requestID) == ["q2"])
      }
    }

    @Test(
      "R6 the same request again starts no second turn; another text under its id is refused",
      arguments: RuleWorld.Kind.allCases)
    func repeated(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        await session.start()
        let first = try await session.responses.create("hello", requestID: "q1")
        let again = try await session.responses.create("hello", requestID: "q1")
        #expect(first.id == again.id)
        let other = await failure { _ = try await session.responses.create("x", requestID: "q1") }
        #expect(other?.status == 409 && other?.code == "command_conflict")
      }
    }

    @Test("R85 R100 the session's state is its own and the router's alike")
    func state() async throws {
      try await RuleWorld.with { world in
        let session = try await world.agent.sessions.create()
        await session.start()
        #expect(session.state == .idle)
        let events = session.events()
        try await session.responses.create("hello")
        var states: [String] = []
        for await event in events {
          if event.kind == .sessionState { states.append(event.fields["state"]?.stringValue ?? "") }
          if event.kind == .responding {
            await world.shown("responding") { session.state == .responding }
          }
          if event.kind == .turn { break }
        }
        #expect(states == ["responding", "idle"])
        await world.shown("idle") { session.state == .idle }
        await session.close()
        #expect(session.state == .ended)
      }
    }

    @Test(
      "R151 pictures reach the model with the question and stay in the record",
      arguments: RuleWorld.Kind.allCases)
    func pictures(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        await session.start()
        let events = session.events()
        try await session.responses.create(
          "What is this?",
          images: [.data(Foundation.Data([1, 2, 3]), mediaType: "image/png")])
        for await event in events where event.kind == .turn { break }
        #expect(world.model.prompts.last?.messages.last?.images == ["data:image/png;base64,AQID"])
        let said = try await session.responses.items.all().first
        #expect(said?.payload?["images"]?[0]?["media_type"] == "image/png")
        let wrong = try await world.send(
          .post, "/v1/agents/sessions/\(session.id)/responses",
          ["text": "x", "images": ["file:///etc/passwd"]])
        #expect(wrong.status == 400 && wrong.message.contains("images[0]"))
        let films = try await world.send(
          .post, "/v1/agents/sessions/\(session.id)/responses",
          ["text": "x", "videos": ["a", "b", "c"]])
        #expect(films.status == 400)
      }
    }
  }
}
