import AgentRouter
import Foundation
import Networking
import Providers
import SessionsModel
import Simulation
import Testing
import VisionAgentsCore

extension Rules {
  @MainActor struct PermissionRules {
    @Test(
      "R5 a device needs key, user and token; a backend key and secret; claim and proof agree",
      arguments: RuleWorld.Kind.allCases)
    func identity(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        #expect(try await world.agents.sessions.query().items.isEmpty)
        #expect(try await world.backend.sessions.query().items.isEmpty)
        let device = Token.mint(TokenClaims(userID: "jlahey"), secret: RuleWorld.secret)
        let server = Token.mint(TokenClaims(server: true), secret: RuleWorld.secret)
        let now = world.runtime.secondsSince1970
        let expired = Token.mint(
          TokenClaims(userID: "jlahey", expiresAt: now - 120), secret: RuleWorld.secret)
        let early = Token.mint(
          TokenClaims(userID: "jlahey", issuedAt: now + 600), secret: RuleWorld.secret)
        let skewed = Token.mint(
          TokenClaims(userID: "jlahey", issuedAt: now + 50, expiresAt: now - 50),
          secret: RuleWorld.secret)
        let forged = Token.mint(TokenClaims(userID: "jlahey"), secret: "guess")
        let none = "eyJhbGciOiJub25lIn0.eyJ1c2VyX2lkIjoiamxhaGV5In0."
        let cases: [(String, String?, Int, String?)] = [
          (device, nil, 200, nil), (server, "server", 200, nil), (skewed, nil, 200, nil),
          (server, "jwt", 401, "unauthenticated"), (device, "server", 401, "unauthenticated"),
          (expired, nil, 401, "token_expired"), (early, nil, 401, "token_not_yet_valid"),
          (forged, nil, 401, "bad_signature"), (none, nil, 401, "unauthenticated"),
          ("", nil, 401, "unauthenticated"),
        ]
        for (token, claim, status, code) in cases {
          var headers = ["Authorization": "Bearer \(token)"]
          if let claim { headers["Stream-Auth-Type"] = claim }
          let answer = try await world.send(
            .post, "/v1/agents/sessions/query", headers: headers)
          #expect(
            answer.status == status && answer.code == code, "\(token.prefix(20)) \(claim ?? "")")
        }
        let unknown = try await world.send(
          .post, "/v1/agents/sessions/query", headers: ["X-Api-Key": "other"])
        #expect(unknown.status == 401)
      }
    }

    @Test("R4 a token provider that hangs fails the request after its time limit, not never")
    func hangingProvider() async throws {
      try await RuleWorld.with { world in
        let agents = VisionAgents(
          apiKey: "your_api_key", url: world.url, environment: world.sdkEnvironment)
        let runtime = world.runtime
        agents.setUser(User(id: "jlahey")) {
          try await runtime.sleep(for: .seconds(3_600))
          return ""
        }
        let asked = runtime.now
        do {
          _ = try await agents.sessions.query()
          Issue.record("a token came from nowhere")
        } catch AgentsError.transport(let error) {
          #expect("\(error)".contains("within 20 seconds"))
        }
        #expect(runtime.now - asked < .seconds(25))
      }
    }

    @Test(
      "R163 a device's day of messages ends with 429 and the time of the next; a backend's never")
    func caps() async throws {
      var settings = RuleWorld.Settings()
      settings.configure = { $0.limits.messagesPerDay = 3 }
      try await RuleWorld.with(.simulated, settings) { world in
        let session = try await world.agent.sessions.create()
        for number in 1...3 { try await world.ask(session, "\(number)") }
        let path = "/v1/agents/sessions/\(session.id)/responses"
        let refused = try await world.send(.post, path, ["text": "four"])
        #expect(refused.status == 429 && refused.code == "rate_limited")
        let seconds = try #require(Int(refused.response.headers["Retry-After"] ?? ""))
        #expect((86_000...86_400).contains(seconds), "the simulation began at midnight")
        // On an open socket it is an error frame, and the socket stays.
        let socket = try await world.socket(session.id)
        await socket.send(.text(#"{"type":"respond","text":"four"}"#))
        let frame = try await world.frames(socket, until: .error).last
        #expect(frame?["code"] == "rate_limited")
        // Anna has her own day, and the backend none.
        let hers = try await world.annas.agent("myagent").sessions.create()
        try await world.ask(hers, "one")
        #expect(
          try await world.send(.post, path, ["text": "by the backend"], as: nil).status == 202)
        try await world.pass(.seconds(86_400))
        #expect(try await world.send(.post, path, ["text": "tomorrow"]).status == 202)
      }
    }

    @Test("R163 the day's tokens count what the models were paid for, and survive a restart")
    func tokens() async throws {
      var settings = RuleWorld.Settings()
      settings.configure = { $0.limits.tokensPerDay = 60 }
      try await RuleWorld.with(.simulated, settings) { world in
        let session = try await world.agents.agent("plain").sessions.create()
        var asked = 0
        while asked < 20 {
          let answer = try await world.send(
            .post, "/v1/agents/sessions/\(session.id)/responses", ["text": "hello"])
          if answer.status == 429 { break }
          asked += 1
          try await world.runtime.sleep(for: .seconds(2))
        }
        #expect((1...4).contains(asked))
        // A second router over the same store knows.
        let other = try await RuleWorld.second(world)
        #expect(
          try await other.send(
            .post, "/v1/agents/sessions/\(session.id)/responses", ["text": "hello"]
          ).status == 429)
      }
    }
  }
}
