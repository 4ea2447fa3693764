import Networking
import Providers
import SessionsModel
import Simulation
import Testing
import VisionAgentsCore

extension Rules {
  @MainActor struct UpdatingRules {
    @Test(
      "R32 R36 R38 update changes what is named, by id too and from a device",
      arguments: RuleWorld.Kind.allCases)
    func update(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        var options = SessionOptions()
        options.title = "Order"
        options.custom = ["a": 1, "b": 2]
        let session = try await world.agent.sessions.create(options)
        let updated = try await session.update(title: "Pricing")
        #expect(updated.title == "Pricing" && updated.custom == ["a": 1, "b": 2])
        #expect(session.title == "Pricing")
        try await world.agents.sessions.update(session.id, SessionChanges(custom: ["c": 3]))
        await session.close()
        let ended = try await world.agents.sessions.update(
          session.id, SessionChanges(description: "Later"))
        #expect(ended.title == "Pricing" && ended.description == "Later")
        #expect(ended.custom == ["c": 3] && ended.state == .ended)
        let cleared = try await world.agents.sessions.update(
          session.id, SessionChanges(custom: [:]))
        #expect(cleared.custom.isEmpty)
      }
    }

    @Test("R33 new models take over from the next turn; the running reply ends on the old")
    func nextTurn() async throws {
      try await RuleWorld.with { world in
        let session = try await world.agent.sessions.create()
        await session.start()
        let events = session.events()
        try await session.responses.create("one two three")
        try await world.runtime.sleep(for: .milliseconds(70))
        try await world.backend.sessions.update(
          session.id, SessionChanges(llm: "llm-thinking", thinking: .low))
        try await session.responses.create("four")
        var seen: [AgentEvent] = []
        for await event in events {
          seen.append(event)
          if seen.all(.turn).count == 2 { break }
        }
        #expect(seen.all(.responded).map(\.text) == ["I heard one two three.", "I heard four."])
        #expect(seen.first(.modelsChanged) != nil)
        #expect(world.model.prompts.count == 1 && world.thinking.prompts.count == 1)
        #expect(world.thinking.prompts[0].thinking == "low")
      }
    }

    @Test(
      "R34 a model that does not route is refused and nothing changes",
      arguments: RuleWorld.Kind.allCases)
    func unroutable(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        let refused = await failure {
          try await world.backend.sessions.update(
            session.id, SessionChanges(title: "x", llm: "gpt-0"))
        }
        #expect(refused?.status == 400 && refused?.code == "unroutable_model")
        #expect(refused?.message.contains("gpt-0") == true)
        #expect(try await world.agents.sessions.get(session.id).title == "")
        #expect(try await world.ask(session, "hello").words == "I heard hello.")
      }
    }

    @Test(
      "R35 a device asking for more than labels gets 403 and nothing changes",
      arguments: RuleWorld.Kind.allCases)
    func deviceMayNot(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        let changes: [SessionChanges] = [
          SessionChanges(title: "x", llm: "llm-thinking"), SessionChanges(title: "x", voice: "v"),
          SessionChanges(title: "x", thinking: .none), SessionChanges(title: "x", temperature: 0),
          SessionChanges(title: "x", instructions: "Be rude."), SessionChanges(title: "x", sts: ""),
          SessionChanges(title: "x", maxOutputTokens: 5),
          SessionChanges(title: "x", verbosity: .low),
          SessionChanges(title: "x", stt: "scripted"), SessionChanges(title: "x", tts: "scripted"),
        ]
        for change in changes {
          let refused = await failure {
            try await world.agents.sessions.update(session.id, change)
          }
          #expect(refused?.status == 403 && refused?.code == "field_server_only")
        }
        #expect(try await world.agents.sessions.get(session.id).title == "")
        let stranger = await failure {
          try await world.annas.sessions.update(session.id, SessionChanges(llm: "llm-thinking"))
        }
        #expect(stranger?.status == 404, "403 would say that the session exists")
      }
    }

    @Test(
      "R37 sts switches to speech-to-speech, an empty sts back", arguments: RuleWorld.Kind.allCases)
    func speechToSpeech(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await world.agent.sessions.create()
        try await world.backend.sessions.update(session.id, SessionChanges(sts: "scripted-sts"))
        let native = try await world.send(.get, "/v1/agents/sessions/\(session.id)")
        #expect(native.json["mode"] == "native" && native.json["sts"] == "scripted-sts")
        try await world.ask(session, "hello")
        #expect(world.native.prompts.count == 1 && world.model.prompts.isEmpty)
        try await world.backend.sessions.update(session.id, SessionChanges(sts: ""))
        let back = try await world.send(.get, "/v1/agents/sessions/\(session.id)")
        #expect(back.json["mode"] == "text" && back.json["sts"] == nil)
        try await world.ask(session, "hello again")
        #expect(world.model.prompts.last?.messages.count == 4, "the history went along")
      }
    }
  }
}
