import Networking
import Providers
import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore

extension Rules {
  @MainActor struct CreatingRules {
    @Test(
      "R2 R15 R22 R107 title, description and custom come back untouched",
      arguments: RuleWorld.Kind.allCases)
    func labels(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        var options = SessionOptions()
        options.title = "Order 1042"
        options.description = "A late parcel 🚚"
        options.projectID = "support"
        options.custom = ["ticket": "4721", "deep": ["a": [1, 2.5, nil, true], "ä": ""], "n": -3]
        let session = try await world.agent.sessions.create(options)
        let read = try await world.agents.sessions.get(session.id)
        #expect(read.title == "Order 1042")
        #expect(read.description == "A late parcel 🚚")
        #expect(read.custom == options.custom)
        #expect(read.projectID == "support")
      }
    }

    @Test(
      "R16 a used id is refused, also when it is somebody else's or the session has ended",
      arguments: RuleWorld.Kind.allCases)
    func usedID(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        var options = SessionOptions()
        options.id = "order-1042"
        let session = try await world.agent.sessions.create(options)
        for agents in [world.agents, world.annas, world.backend] {
          let again = await failure { _ = try await agents.sessions.create(options) }
          #expect(again?.status == 409 && again?.code == "session_exists")
        }
        await session.close()
        #expect(await failure { _ = try await world.agent.sessions.create(options) }?.status == 409)
      }
    }

    @Test(
      "R16 of fifty that create one id at once exactly one wins", arguments: RuleWorld.Kind.allCases
    )
    func racingCreates(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let racers = (1...50).map { number in
          Task { @MainActor in
            try await world.send(
              .post, "/v1/agents/sessions", ["id": "one"], as: number % 2 == 0 ? "anna" : "jlahey"
            ).status
          }
        }
        var created: [Int] = []
        for racer in racers { created.append(try await racer.value) }
        #expect(created.sorted() == [201] + Array(repeating: 409, count: 49))
      }
    }

    @Test(
      "R17 an id is 1 to 64 of letters, digits, - and _; a UUID is one",
      arguments: RuleWorld.Kind.allCases)
    func ids(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let good = [
          "a", String(repeating: "x", count: 64), "Order_1042-b",
          "8b7f3c1e-51f0-4d7e-9a52-0d3b5a3a9f10",
        ]
        for id in good {
          let answer = try await world.send(.post, "/v1/agents/sessions", ["id": .string(id)])
          #expect(answer.status == 201 && answer.json["id"]?.stringValue == id)
        }
        for id in [
          "", String(repeating: "x", count: 65), "a b", "../x", "ä", "١٢", "a.b", "a/b", "\0",
        ] {
          let answer = try await world.send(.post, "/v1/agents/sessions", ["id": .string(id)])
          #expect(answer.status == 400 && answer.code == "invalid_id", "\(id)")
        }
      }
    }

    @Test(
      "R18 R19 an empty body opens a session whose id is a UUIDv7",
      arguments: RuleWorld.Kind.allCases
    )
    func nothingGiven(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let answer = try await world.send(.post, "/v1/agents/sessions")
        #expect(answer.status == 201)
        let id = try #require(answer.json["id"]?.stringValue)
        let parts = id.split(separator: "-", omittingEmptySubsequences: false).map(\.count)
        #expect(parts == [8, 4, 4, 4, 12])
        #expect(id.dropFirst(14).first == "7")
        let second = try await world.send(.post, "/v1/agents/sessions")
        #expect(id < second.json["id"]?.stringValue ?? "", "later ids sort behind")
      }
    }

    @Test(
      "R21 R23 the project is a cost tag, and tags merge with the agent's, the session's winning",
      arguments: RuleWorld.Kind.allCases)
    func tags(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        var options = SessionOptions()
        options.projectID = "support"
        options.tags = ["plan": "pro", "customer_id": "123"]
        let session = try await world.agent.sessions.create(options)
        try await world.ask(session, "Where is order 1042?")
        await session.close()
        for (tag, value) in [
          ("project", "support"), ("plan", "pro"), ("customer_id", "123"), ("team", "shop"),
        ] {
          let answer = try await world.send(
            .get, "/v1/agents/usage", as: nil, query: [("group_by", "tag:\(tag)")])
          #expect(answer.json["items"]?[0]?["key"]?.stringValue == value, "\(tag)")
        }
      }
    }

    @Test(
      "R24 R27 model_overwrites change this conversation and no other",
      arguments: RuleWorld.Kind.allCases)
    func overwrites(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        var options = SessionOptions()
        options.modelOverwrites = ModelOverwrites(llm: "llm-thinking", thinking: .high)
        let session = try await world.agent.sessions.create(options)
        try await world.ask(session, "hello")
        #expect(world.thinking.prompts.last?.thinking == "high")
        #expect(world.model.prompts.isEmpty)
        let other = try await world.agent.sessions.create()
        try await world.ask(other, "hello")
        #expect(world.model.prompts.count == 1)
        #expect(world.model.prompts.last?.thinking == nil)
        #expect(other.session.llm != "llm-thinking")
      }
    }

    @Test("R28 R29 other keys and other levels of thinking are refused by name")
    func wrongOverwrites() async throws {
      try await RuleWorld.with { world in
        let all: SessionsModel.JSONValue = [
          "llm": "scripted", "sts": "", "thinking": "minimal", "temperature": 0,
          "max_output_tokens": 64, "verbosity": "low",
        ]
        #expect(
          try await world.send(.post, "/v1/agents/sessions", ["model_overwrites": all]).status
            == 201)
        let wrong: [(SessionsModel.JSONValue, String)] = [
          (["llms": "x"], "unknown_field"), (["thinking": "very"], "invalid_field"),
          (["temperature": "hot"], "invalid_field"), (["llm": "gpt-0"], "unroutable_model"),
        ]
        for (overwrites, code) in wrong {
          let answer = try await world.send(
            .post, "/v1/agents/sessions", ["model_overwrites": overwrites])
          #expect(answer.status == 400 && answer.code == code)
        }
        for level in Thinking.allCases {
          let overwrites: SessionsModel.JSONValue = ["thinking": .string(level.rawValue)]
          #expect(
            try await world.send(.post, "/v1/agents/sessions", ["model_overwrites": overwrites])
              .status == 201)
        }
      }
    }

    @Test(
      "R30 a model that does not reason answers all the same", arguments: RuleWorld.Kind.allCases)
    func thinkingIgnored(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        var options = SessionOptions()
        options.modelOverwrites = ModelOverwrites(thinking: .high)
        let session = try await world.agent.sessions.create(options)
        #expect(try await world.ask(session, "hello").words == "I heard hello.")
      }
    }

    @Test(
      "R25 R44 R125 R144 an incognito session leaves nothing, is not found, and cannot be forked",
      arguments: RuleWorld.Kind.allCases)
    func incognito(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        var options = SessionOptions()
        options.incognito = true
        options.title = "Secret words"
        options.tags = ["customer_id": "123"]
        let session = try await world.agent.sessions.create(options)
        try await world.ask(session, "a secret question")
        #expect(session.session.conversationID == "")
        #expect(await failure { _ = try await session.chat() }?.code == "channel_not_found")
        #expect(try await session.responses.items.all().isEmpty)
        #expect(try await world.agent.sessions.query().items.isEmpty)
        #expect(try await world.agent.sessions.search("secret").items.isEmpty)
        let fork = await failure { _ = try await session.fork() }
        #expect(fork?.status == 400 && fork?.code == "fork_incognito")
        #expect(fork?.message.contains("nothing to fork") == true)
        let key = SessionKey(app: "your_api_key", id: session.id)
        #expect(try await world.store.session(session.id, app: "your_api_key") == nil)
        #expect(try await world.store.turns(of: key, .all).isEmpty)
        await session.close()
        for operation in ["get", "attach", "fork", "ask"] {
          let gone = await failure {
            switch operation {
            case "get": _ = try await world.agents.sessions.get(session.id)
            case "attach": _ = try await world.agents.attach(sessionID: session.id)
            case "fork": _ = try await world.agents.sessions.fork(session.id)
            default: _ = try await world.agents.sessions.responses(session.id).create("more")
            }
          }
          #expect(gone?.status == 404, "\(operation)")
        }
        #expect(world.model.filledForms.isEmpty, "R44: neither title nor review")
        #expect(!world.logged.value.contains { $0.contains("secret") })
      }
    }
  }
}
