import AgentRouter
import Foundation
import Networking
import Providers
import SessionsModel
import Simulation
import Testing
import VisionAgentsCore

extension Rules {
  /// A client written for the public interface, its requests and frames as it sends them: nothing of our
  /// additions, and what it expects byte for byte.
  @MainActor struct PublicClientRules {
    /// The client of the public SDKs: key in the query, bearer token, no `v=2`.
    private struct Client {
      let world: RuleWorld
      let user: String

      func send(
        _ method: HTTPRequest.Method, _ path: String, _ body: String = "", server: Bool = false
      ) async throws -> RuleAnswer {
        var request = HTTPRequest(
          method, path, query: [("api_key", "your_api_key")], body: Array(body.utf8))
        request.headers["Authorization"] = "Bearer " + RuleWorld.token(server ? nil : user)
        request.headers["stream-auth-type"] = server ? "server" : "jwt"
        request.headers["content-type"] = "application/json"
        if server { request.headers["X-Stream-User-Id"] = user }
        return RuleAnswer(
          response: try await world.transport.request(
            request, to: world.origin, timeout: .seconds(20)))
      }

      func watch(
        _ id: String, _ query: [(name: String, value: String)]
      ) async throws -> any WebSocketConnection {
        try await world.transport.openWebSocket(
          WebSocketRequest(
            host: world.origin.host, port: world.origin.port,
            path: "/v1/agents/sessions/\(id)/events", query: query), timeout: .seconds(20))
      }

      var deviceQuery: [(name: String, value: String)] {
        [
          ("api_key", "your_api_key"), ("authorization", RuleWorld.token(user)),
          ("stream-auth-type", "jwt"), ("interim", "true"),
        ]
      }
    }

    @Test(
      "R3 a public device creates, watches, asks, is answered and stops, unchanged",
      arguments: RuleWorld.Kind.allCases)
    func device(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let client = Client(world: world, user: "jlahey")
        let created = try await client.send(
          .post, "/v1/agents/sessions",
          #"""
          {"agent":"myagent","text":true,"title":"Order 1042","custom":{"ticket":"4721"},
          "tools":[{"name":"find_order","description":"","parameters":{"type":"object"},
          "executor":"client"}],"tool_timeout_ms":0,"incognito":false,"languages":["en"]}
          """#)
        #expect(created.status == 201)
        let id = try #require(created.json["id"]?.stringValue)
        for field in [
          "agent_id", "call_id", "call_type", "created_at", "modality", "state", "user_id",
        ] {
          #expect(created.json[field]?.stringValue != nil, "\(field) is required")
        }
        let socket = try await client.watch(id, client.deviceQuery)
        await socket.send(.text(#"{"type":"respond","text":"Where is order 1042?"}"#))
        let frames = try await world.frames(socket, until: .turn)
        #expect(
          Set(frames.map(\.type.rawValue)) == [
            "responding", "response_delta", "responded", "turn",
          ],
          "no snapshot, no session_state")
        #expect(frames.allSatisfy { $0.seq == nil })
        let turnID = try #require(frames.first?.turnID)
        #expect(frames.allSatisfy { $0.turnID == turnID })
        #expect(frames.first { $0.type == .responded }?["pending_work"] == false)
        // Its say with interrupt is two frames.
        await socket.send(.text(#"{"type":"interrupt"}"#))
        await socket.send(.text(#"{"type":"say","text":"Hello."}"#))
        let said = try await world.frames(socket, until: .responded)
        #expect(said.last?["text"] == "Hello.")
        // And its end a close frame with the socket's close right behind it.
        await socket.send(.text(#"{"type":"close"}"#))
        await socket.close(code: 1005, reason: "")
        try await world.until("the end") {
          try await client.send(.get, "/v1/agents/sessions/\(id)").json["state"] == "ended"
        }
        let stopped = try await client.send(.post, "/v1/agents/sessions/\(id)/stop")
        #expect(stopped.status == 204 && stopped.response.body.isEmpty)
        #expect(stopped.response.headers["X-Request-Id"] != nil)
        let responses = try await client.send(.get, "/v1/agents/sessions/\(id)/responses?limit=25")
        _ = responses
        let items = try await client.send(.get, "/v1/agents/sessions/\(id)/responses/items")
        #expect(items.json["items"]?[0]?["kind"] == "said" && items.json["has_more"] == false)
      }
    }

    @Test(
      "R161 a public client answers its tool with a string that echoes request and turn",
      arguments: RuleWorld.Kind.allCases)
    func tool(_ kind: RuleWorld.Kind) async throws {
      var settings = RuleWorld.Settings()
      settings.configure = { $0.agents[1].toolChoice = "find_order" }
      try await RuleWorld.with(kind, settings) { world in
        let client = Client(world: world, user: "jlahey")
        let created = try await client.send(
          .post, "/v1/agents/sessions",
          #"{"agent":"plain","tools":[{"name":"find_order","description":"Finds"}]}"#)
        let id = try #require(created.json["id"]?.stringValue)
        let socket = try await client.watch(
          id, client.deviceQuery + [("replay_pending_tools", "true")])
        await socket.send(.text(#"{"type":"respond","text":"Where?","command_id":"cmd-1"}"#))
        let call = try #require(try await world.frames(socket, until: .toolCall).last)
        #expect(call["name"] == "find_order")
        let arguments = try #require(call["arguments"]?.stringValue)
        #expect(try SessionsModel.JSONValue.parse(arguments)["order"] == "1042")
        #expect(call.requestID == "cmd-1" && call.turnID != nil)
        let result: SessionsModel.JSONValue = [
          "type": "tool_result", "tool_call_id": call["id"] ?? .null, "output": "on its way",
          "error": "", "command_id": "cmd-1", "request_id": "cmd-1",
          "turn_id": .string(call.turnID ?? ""),
        ]
        await socket.send(.text(result.serializedText))
        let rest = try await world.frames(socket, until: .turn)
        #expect(rest.first { $0.type == .toolRan }?["result"] == "on its way")
        // A late one is dropped silently, and parts are a string too.
        await socket.send(
          .text(#"{"type":"tool_result","tool_call_id":"nobody","output":[{"text":"x"}]}"#))
        await socket.send(.text(#"{"type":"say","text":"ok"}"#))
        let quiet = try await world.frames(socket, until: .turn)
        #expect(!quiet.contains { $0.type == .error })
        await socket.close(code: 1000, reason: "")
      }
    }

    @Test(
      "R5 R164 a public backend's socket is admitted without the claim, acting for its user",
      arguments: RuleWorld.Kind.allCases)
    func backend(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let client = Client(world: world, user: "jlahey")
        let created = try await client.send(.post, "/v1/agents/sessions", "{}", server: true)
        #expect(created.status == 201 && created.json["user_id"] == "jlahey")
        let id = try #require(created.json["id"]?.stringValue)
        let socket = try await client.watch(
          id,
          [("api_key", "your_api_key"), ("token", RuleWorld.token(nil)), ("user_id", "jlahey")])
        await socket.send(.text(#"{"type":"instructions","instructions":"Be kind."}"#))
        await socket.send(.text(#"{"type":"respond","text":"hello"}"#))
        _ = try await world.frames(socket, until: .turn)
        #expect(world.model.prompts.last?.messages.first?.content == "Be kind.")
        // The user's own device reaches what the backend opened for it.
        #expect(try await client.send(.get, "/v1/agents/sessions/\(id)").status == 200)
        for (method, path, body, status) in [
          (HTTPRequest.Method.post, "/say", #"{"text":"Hello."}"#, 204),
          (.post, "/interrupt", "", 204), (.put, "/instructions", #"{"instructions":"x"}"#, 204),
          (.patch, "/settings", #"{"thinking":"low"}"#, 200),
          (.post, "/respond", #"{"text":"hello"}"#, 200), (.delete, "/memories", "", 204),
        ] {
          let path = "/v1/agents/sessions/\(id)\(path)"
          #expect(try await client.send(method, path, body).status == 403, "\(path)")
          let answer = try await client.send(method, path, body, server: true)
          #expect(answer.status == status, "\(path)")
          if status == 204 { #expect(answer.response.body.isEmpty) }
        }
        let configs = try await client.send(.get, "/v1/agents/configs", server: true)
        #expect(configs.json[0]?["name"] == "myagent", "a bare array")
        #expect(
          try await client.send(.get, "/v1/llm/routes/llm-thinking", server: true).status == 200)
        #expect(try await client.send(.get, "/v1/llm/routes/gpt-0", server: true).status == 404)
        await socket.close(code: 1000, reason: "")
      }
    }

    @Test(
      "R130 R134 R147 errors have the public envelope, its words and its status",
      arguments: RuleWorld.Kind.allCases)
    func errors(_ kind: RuleWorld.Kind) async throws {
      try await RuleWorld.with(kind) { world in
        let client = Client(world: world, user: "jlahey")
        let missing = try await client.send(.get, "/v1/agents/sessions/nobody")
        #expect(missing.status == 404 && missing.json["error"]?["type"] == "not_found")
        #expect(missing.code == "session_not_found")
        #expect(missing.response.headers["X-Request-Id"]?.isEmpty == false)
        let created = try await client.send(.post, "/v1/agents/sessions", #"{"incognito":true}"#)
        let id = try #require(created.json["id"]?.stringValue)
        let fork = try await client.send(.post, "/v1/agents/sessions/\(id)/fork")
        #expect(fork.status == 400 && fork.message.contains("nothing to fork"))
        let kept = try await client.send(.post, "/v1/agents/sessions")
        let keptID = try #require(kept.json["id"]?.stringValue)
        let rewind = try await client.send(
          .post, "/v1/agents/sessions/\(keptID)/rewind", #"{"response_id":"x"}"#)
        #expect(rewind.status == 400 && rewind.message.contains("fork it at the response"))
        #expect(rewind.json["error"]?["doc_url"] != nil)
      }
    }

    @Test("R5 without authentication the customer is everybody's backend, by query or header")
    func withoutAuthentication() async throws {
      var settings = RuleWorld.Settings()
      settings.configure = { $0.authentication = .noauth }
      try await RuleWorld.with(.simulated, settings) { world in
        let customer = VisionAgents(
          url: world.url, customerID: "acme", environment: world.sdkEnvironment)
        customer.setUser(User(id: "jlahey"), token: "")
        let session = try await customer.sessions.create()
        #expect(session.session.userID == "jlahey")
        try await world.ask(session, "hello")
        let other = VisionAgents(
          url: world.url, customerID: "other", environment: world.sdkEnvironment)
        #expect(await failure { _ = try await other.sessions.get(session.id) }?.status == 404)
        #expect(try await customer.sessions.get(session.id).id == session.id)
      }
    }
  }
}
