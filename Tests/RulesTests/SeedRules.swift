import Networking
import Providers
import SeedSamples
import SessionsModel
import Simulation
import Testing
import VisionAgentsCore

extension Rules {
  /// The seed's samples as they stand, each against the router.
  @MainActor struct SeedRules {
    private func session(_ world: RuleWorld, agent: String = "myagent") async throws -> AgentSession
    {
      try await SeedSamples.createWithOptions(agent: world.agents.agent(agent))
    }

    @Test(
      "R4 R6 R15 R152 R153 creating, asking and interrupting, as the seed writes it",
      arguments: RuleWorld.Kind.allCases)
    func asking(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await session(world)
        #expect(session.isConnected && session.title == "Order 1042")
        try await SeedSamples.respond(session: session)
        try await SeedSamples.interrupt(session: session)
        let said = try await session.responses.items.all().map(\.text)
        #expect(said.contains("Hi, I can help with your order."))
        #expect(said.filter { $0 == "Where is order 1042?" }.count == 2)
        #expect(try await SeedSamples.update(session: session).title == "Pricing")
      }
    }

    @Test(
      "R16 R24 R25 R31 an own id, models, tags and incognito, as the seed writes it",
      arguments: RuleWorld.Kind.allCases)
    func options(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let own = try await SeedSamples.createWithID(agent: world.agent)
        #expect(own.id == "order-1042")
        let secret = try await SeedSamples.createWithModels(agent: world.agent)
        #expect(secret.session.incognito)
        try await world.ask(secret, "hello")
        #expect(world.thinking.prompts.last?.thinking == "high")
        await secret.close()
        let costs = try await world.send(
          .get, "/v1/agents/usage", as: nil, query: [("group_by", "tag:customer_id")])
        #expect(costs.json["items"]?[0]?["key"] == "123")
        try await SeedSamples.closeAndDelete(session: own)
        #expect(
          await failure { _ = try await world.agents.sessions.get("order-1042") }?.status == 404)
      }
    }

    @Test(
      "R103 R104 R117 R124 R129 listing, searching and paging, as the seed writes it",
      arguments: RuleWorld.Kind.allCases)
    func listing(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        for number in 1...60 {
          var options = SessionOptions()
          options.projectID = "support"
          options.title = "Order \(1000 + number)"
          let session = try await world.agent.sessions.create(options)
          if number == 42 { await session.close() }
        }
        #expect(try await SeedSamples.paginate(agent: world.agent).count == 60)
        #expect(try await SeedSamples.search(agent: world.agent).title == "Order 1042")
        // October 2026 lies before or after the clock of this run.
        #expect(try await SeedSamples.query(agent: world.agent).allSatisfy { $0.state == .ended })
        try await SeedSamples.getOne(
          agent: world.agent, id: try await SeedSamples.search(agent: world.agent).id)
      }
    }

    @Test("R134 R139 R140 forking, as the seed writes it", arguments: RuleWorld.Kind.allCases)
    func forking(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await session(world)
        try await world.ask(session, "My order is 1042.")
        try await world.ask(session, "Where is it?")
        let turns = try await session.responses.list().items
        let forks = try await SeedSamples.fork(
          agents: world.agents, session: session, turns: turns)
        let harder = try #require(forks[0] as? AgentSession)
        #expect(harder.title == "Order 1042, thinking harder")
        let counts = try await [harder.id, (forks[1] as? Session)?.id, (forks[2] as? Session)?.id]
          .asyncMap { try await world.agents.sessions.responses($0 ?? "").list().items.count }
        #expect(counts == [2, 1, 0])
      }
    }

    @Test(
      "R145 rewinding, as the seed writes it, where there is no channel",
      arguments: RuleWorld.Kind.allCases)
    func rewinding(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let session = try await session(world, agent: "plain")
        try await world.ask(session, "one")
        try await world.ask(session, "two")
        await world.shown("both turns") { session.turns.count == 2 }
        try await SeedSamples.rewind(session: session, turns: session.turns)
        #expect(try await session.responses.list().items.map(\.said) == ["one"])
        await world.shown("the turn that is left") { session.turns.count == 1 }
        #expect(session.turns.map(\.said) == ["one"], "the live session follows")
      }
    }

    /// The router's usual address, which the sample leaves out.
    private static var isUsualPortFree: Bool {
      get async {
        let runtime = LoopRuntime()
        // An address in use is what is asked for here.
        let server = try? await LoopServer.start(
          LoopServer.Configuration(port: Backend.defaultPort), handler: Nobody(), runtime: runtime)
        await server?.stop()
        await runtime.stop()
        return server != nil
      }
    }

    private struct Nobody: HTTPHandler {
      func respond(to request: HTTPRequest) async -> HTTPResponse { HTTPResponse(status: 404) }
      func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade {
        .refuse(HTTPResponse(status: 404))
      }
    }

    @Test(
      "R4 the very first sample, with the router at its usual address",
      .enabled("the usual port is in use") { await isUsualPortFree })
    func firstSession() async throws {
      try await RuleWorld.with(.loopback, port: Backend.defaultPort) { world in
        let session = try await SeedSamples.firstSession(
          yourBackend: YourBackend { RuleWorld.token("jlahey") })
        #expect(session.isConnected && session.failure == nil)
        #expect(try await world.agents.sessions.get(session.id).userID == "jlahey")
        await session.close()
      }
    }
  }
}

extension Array {
  fileprivate func asyncMap<Value>(
    _ transform: (Element) async throws -> Value
  ) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
