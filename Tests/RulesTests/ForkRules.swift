import Networking
import Providers
import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore

extension Rules {
  @MainActor struct ForkRules {
    /// A session of `plain` or `myagent` with two answered questions.
    private func talked(
      _ world: RuleWorld, _ agent: String = "myagent"
    ) async throws -> (session: AgentSession, turns: [Response]) {
      var options = SessionOptions(agent: agent)
      options.title = "Order 1042"
      options.custom = ["ticket": "4721"]
      let session = try await world.agents.sessions.create(options)
      try await world.ask(session, "My order is 1042.")
      try await world.ask(session, "Where is it?")
      return (session, try await session.responses.list().items)
    }

    @Test(
      "R134 R135 R136 R137 R138 a fork is a record that goes on with the parent's history",
      arguments: RuleWorld.Kind.allCases)
    func fork(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let (session, turns) = try await talked(world)
        var options = ForkOptions()
        options.modelOverwrites = ModelOverwrites(llm: "llm-thinking")
        options.title = "Order 1042, thinking harder"
        let forked = try await session.fork(options)
        #expect(forked.id != session.id && forked.forkedFrom == session.id)
        #expect(forked.title == "Order 1042, thinking harder")
        let harder = try await world.agents.attach(sessionID: forked.id)
        try await world.ask(harder, "Tell me more.")
        #expect(
          world.thinking.prompts.last?.messages.map(\.content).dropFirst().prefix(3) == [
            "My order is 1042.", "I heard My order is 1042..", "Where is it?",
          ])
        #expect(session.state == .idle, "the parent runs on")
        #expect(try await session.responses.list().items.map(\.id) == turns.map(\.id))
        await session.close()
        let fromEnded = try await world.agents.sessions.fork(session.id)
        #expect(try await world.agents.sessions.get(session.id).state == .ended)
        #expect(try await world.agents.sessions.responses(fromEnded.id).list().items.count == 2)
      }
    }

    @Test("R139 R140 history to the end of a response, or none", arguments: RuleWorld.Kind.allCases)
    func historyOfAFork(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let (session, turns) = try await talked(world)
        let fromThere = try await session.fork(ForkOptions(responseID: turns[0].id))
        let carried = try await world.agents.sessions.responses(fromThere.id).list().items
        #expect(carried.map(\.said) == ["My order is 1042."])
        let items = try await world.agents.sessions.responses(fromThere.id).items.all()
        #expect(items.map(\.text) == ["My order is 1042.", "I heard My order is 1042.."])
        var fromNothing = ForkOptions()
        fromNothing.withoutHistory = true
        let fresh = try await session.fork(fromNothing)
        #expect(try await world.agents.sessions.responses(fresh.id).list().items.isEmpty)
        #expect(fresh.custom == ["ticket": "4721"], "the same configuration")
        let unknown = await failure { _ = try await session.fork(ForkOptions(responseID: "nope")) }
        #expect(unknown?.status == 404 && unknown?.code == "response_not_found")
        let both = try await world.send(
          .post, "/v1/agents/sessions/\(session.id)/fork",
          ["messages": false, "response_id": .string(turns[0].id)])
        #expect(both.status == 400 && both.code == "messages_with_response_id")
      }
    }

    @Test(
      "R141 what is named overrides, what is not is the parent's",
      arguments: RuleWorld.Kind.allCases)
    func overrides(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let (session, _) = try await talked(world)
        var options = ForkOptions()
        options.agent = "plain"
        options.description = "Another"
        options.projectID = "sales"
        options.custom = ["a": 1]
        let forked = try await session.fork(options)
        #expect(forked.agent == "plain" && forked.conversationID == "")
        #expect(forked.description == "Another" && forked.projectID == "sales")
        #expect(forked.custom == ["a": 1])
        let plain = try await session.fork()
        #expect(plain.agent == "myagent" && plain.custom == ["ticket": "4721"])
        var secret = ForkOptions()
        secret.incognito = true
        let hidden = try await session.fork(secret)
        #expect(hidden.incognito)
        #expect(try await world.store.session(hidden.id, app: "your_api_key") == nil)
        options.agent = "nobody"
        #expect(await failure { _ = try await session.fork(options) }?.status == 404)
      }
    }

    @Test("R142 the two conversations never interleave", arguments: RuleWorld.Kind.allCases)
    func separate(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let (session, _) = try await talked(world)
        let fork = try await world.agents.attach(sessionID: try await session.fork().id)
        try await world.ask(session, "only the parent")
        try await world.ask(fork, "only the fork")
        let (mine, its) = (try await session.chat(), try await fork.chat())
        #expect(mine.cid != its.cid)
        #expect(mine.messages.map(\.text).contains("only the parent"))
        #expect(!mine.messages.map(\.text).contains("only the fork"))
        #expect(!its.messages.map(\.text).contains("only the parent"))
        #expect(
          its.messages.map(\.text).prefix(2) == ["My order is 1042.", "I heard My order is 1042.."])
      }
    }

    @Test(
      "R145 R146 rewind goes back to a response, an item of it or its id; later turns drop out",
      arguments: RuleWorld.Kind.allCases)
    func rewind(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let (session, turns) = try await talked(world, "plain")
        try await world.ask(session, "And now?")
        try await session.responses.rewind(to: turns[1])
        #expect(try await session.responses.list().items.map(\.id) == turns.map(\.id))
        let item = try #require(try await session.responses.items.all().first)
        try await session.responses.rewind(to: item)
        #expect(try await session.responses.list().items.map(\.id) == [turns[0].id])
        #expect(try await session.responses.items.all().allSatisfy { $0.responseID == turns[0].id })
        try await world.ask(session, "Once more.")
        #expect(
          world.model.prompts.last?.messages.map(\.content) == [
            "Be plain.", "My order is 1042.", "I heard My order is 1042..", "Once more.",
          ])
        #expect(
          await failure { try await session.responses.rewind(to: turns[1].id) }?.status == 404)
        await session.close()
        try await world.agents.sessions.responses(session.id).rewind(to: turns[0].id)
        #expect(try await session.responses.list().items.map(\.id) == [turns[0].id])
        #expect(try await world.agents.sessions.get(session.id).state == .ended)
      }
    }

    @Test("R146 rewind abandons the reply in progress; an unknown id abandons nothing")
    func rewindWhileAnswering() async throws {
      try await RuleWorld.with { world in
        let (session, turns) = try await talked(world, "plain")
        let events = session.events()
        let running = try await session.responses.create("one two three four five")
        try await world.runtime.sleep(for: .milliseconds(75))
        #expect(await failure { try await session.responses.rewind(to: "nope") }?.status == 404)
        try await session.responses.rewind(to: turns[0].id)
        var seen: [AgentEvent] = []
        for await event in events {
          seen.append(event)
          if event.kind == .rewound { break }
        }
        #expect(seen.all(.interrupted).map(\.turnID) == [running.id])
        #expect(seen.first(.responded) == nil)
        #expect(try await session.responses.list().items.map(\.id) == [turns[0].id])
        #expect(session.state == .idle)
      }
    }

    @Test(
      "R147 R148 rewind is refused for what cannot be cut, and such a session is forked there",
      arguments: RuleWorld.Kind.allCases)
    func refusedRewind(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let (kept, turns) = try await talked(world)
        let channel = await failure { try await kept.responses.rewind(to: turns[0].id) }
        #expect(channel?.status == 400 && channel?.code == "rewind_channel")
        #expect(channel?.message.contains("fork it at the response") == true)
        let fork = try await kept.fork(ForkOptions(responseID: turns[0].id))
        #expect(try await world.agents.sessions.responses(fork.id).list().items.count == 1)
        var hidden = SessionOptions(agent: "plain")
        hidden.incognito = true
        let incognito = try await world.agents.sessions.create(hidden)
        #expect(
          await failure { try await incognito.responses.rewind(to: "x") }?.code
            == "rewind_incognito")
        var speaking = SessionOptions(agent: "plain")
        speaking.modelOverwrites = ModelOverwrites(sts: "scripted-sts")
        let native = try await world.agents.sessions.create(speaking)
        #expect(
          await failure { try await native.responses.rewind(to: "x") }?.code == "rewind_native")
      }
    }
  }
}
