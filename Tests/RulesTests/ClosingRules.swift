import Networking
import Providers
import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore

extension Rules {
  @MainActor struct ClosingRules {
    @Test(
      "R47 R49 R50 close ends and keeps, by id too, and is safe on an ended session",
      arguments: RuleWorld.Kind.allCases)
    func close(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        try await world.ask(session, "hello")
        let events = session.events()
        await session.close()
        #expect(session.state == .ended && session.failure == nil)
        var last: AgentEvent?
        for await event in events where event.kind == .left { last = event }
        #expect(last != nil, "R160")
        let ended = try await world.agents.sessions.get(session.id)
        #expect(ended.state == .ended && ended.closedAt != nil)
        await session.close()
        try await world.agents.close(sessionID: session.id)
        let again = try await world.agents.sessions.get(session.id)
        #expect(again.closedAt == ended.closedAt)
        #expect(try await world.agents.sessions.responses(session.id).list().items.count == 1)
        let second = try await world.agent.sessions.create()
        try await world.agents.close(sessionID: second.id)
        #expect(try await world.agents.sessions.get(second.id).state == .ended)
      }
    }

    @Test(
      "R47 R54 R56 delete stops a running session and removes it with its turns, by id too",
      arguments: RuleWorld.Kind.allCases)
    func delete(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        var options = SessionOptions()
        options.id = "order-1042"
        let session = try await world.agent.sessions.create(options)
        try await world.ask(session, "hello")
        try await session.delete()
        #expect(
          await failure { _ = try await world.agents.sessions.get("order-1042") }?.status == 404)
        let key = SessionKey(app: "your_api_key", id: "order-1042")
        #expect(try await world.store.turns(of: key, .all).isEmpty)
        #expect(try await world.store.messages(of: key, .all).isEmpty)
        // The id is free again, and nothing of before shows in it.
        let fresh = try await world.agent.sessions.create(options)
        #expect(try await fresh.responses.list().items.isEmpty)
        await fresh.close()
        try await world.agents.sessions.delete("order-1042")
        #expect(
          await failure { try await world.agents.sessions.delete("order-1042") }?.status == 404)
      }
    }

    @Test(
      "R54 deleting and reopening at once: whoever wins, nothing is half there",
      arguments: RuleWorld.Kind.allCases)
    func deleteRace(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        for round in 1...10 {
          var options = SessionOptions()
          options.id = "race-\(round)"
          let session = try await world.agent.sessions.create(options)
          await session.close()
          let path = "/v1/agents/sessions/race-\(round)"
          async let deleted = world.send(.delete, path)
          async let asked = world.send(.post, path + "/responses", ["text": "hello"])
          async let again = world.send(.post, path + "/responses", ["text": "hello"])
          let statuses = (try await deleted.status, try await asked.status, try await again.status)
          #expect(statuses.0 == 204)
          #expect([202, 404].contains(statuses.1) && [202, 404].contains(statuses.2))
          #expect(try await world.send(.get, path).status == 404)
          #expect(
            try await world.send(.post, "/v1/agents/sessions", ["id": .string("race-\(round)")])
              .status == 201)
        }
      }
    }

    @Test(
      "R51 R52 a session in writing ends with its last watcher, and watching reopens it with everything",
      arguments: RuleWorld.Kind.allCases)
    func lastWatcher(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        try await world.ask(session, "My order is 1042.")
        await world.agents.disconnect()
        try await world.until("the end") {
          try await world.agents.sessions.get(session.id).state == .ended
        }
        let again = try await world.agents.attach(sessionID: session.id)
        await again.start()
        #expect(again.state == .idle && again.id == session.id)
        try await world.ask(again, "Where is it?")
        #expect(world.model.prompts.last?.messages.count == 4)
        #expect(try await again.responses.list().items.count == 2)
        #expect(try await world.agents.sessions.query().items.count == 1, "no second row (K6)")
      }
    }

    @Test("R51 a dropped socket has 30 seconds to come back; one never watched 10 minutes")
    func dropped() async throws {
      try await RuleWorld.with { world in
        let watched = try await world.agent.sessions.create()
        let unwatched = try await world.agent.sessions.create()
        func state(_ id: String) async throws -> SessionState {
          try await world.agents.sessions.get(id).state
        }
        let socket = try await world.socket(watched.id)
        await socket.send(.text(#"{"type":"respond","text":"hello"}"#))
        _ = try await world.frames(socket, until: .turn)
        await socket.close(code: 3999, reason: "dropped")
        try await world.pass(.seconds(29))
        #expect(try await state(watched.id) == .live)
        try await world.pass(.seconds(2))
        #expect(try await state(watched.id) == .ended)
        try await world.pass(.seconds(560))
        #expect(try await state(unwatched.id) == .live)
        try await world.pass(.seconds(20))
        #expect(try await state(unwatched.id) == .ended)
      }
    }

    @Test(
      "R53 asking by id reopens an ended session with its history",
      arguments: RuleWorld.Kind.allCases
    )
    func askingReopens(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        try await world.ask(session, "My order is 1042.")
        await session.close()
        try await world.agent.sessions.responses(session.id).create("Where is it?")
        #expect(try await world.agents.sessions.get(session.id).state == .live)
        try await world.until("the answer") {
          try await world.agents.sessions.responses(session.id).list().items.last?.status
            == .completed
        }
        #expect(
          world.model.prompts.last?.messages.map(\.content).dropFirst().first == "My order is 1042."
        )
      }
    }

    @Test(
      "R157 R160 the socket's close command applies before the next request",
      arguments: RuleWorld.Kind.allCases)
    func closeCommand(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        let socket = try await world.socket(session.id)
        await socket.send(.text(#"{"type":"close"}"#))
        _ = try await world.frames(socket, until: .left)
        #expect(try await world.agents.sessions.get(session.id).state == .ended)
      }
    }
  }
}
