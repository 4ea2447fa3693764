import Foundation
import Networking
import Providers
import SessionsModel
import Stores
import Testing

@testable import AgentRouter

/// The router behind a real server, with real sockets.
@Suite struct RouterOverLoopbackTests {
  private struct Service {
    let runtime: LoopRuntime
    let server: LoopServer
    let transport: LoopTransport
    let directory: SessionDirectory
    let port: Int

    func token(_ user: String) -> String { Token.mint(TokenClaims(userID: user), secret: "s") }

    func send(
      _ method: HTTPRequest.Method, _ path: String, _ body: JSONValue? = nil, as user: String
    ) async throws -> Answer {
      var request = HTTPRequest(method, "/v1/agents/sessions" + path)
      request.headers["X-Api-Key"] = "first"
      request.headers["Authorization"] = "Bearer " + token(user)
      request.body = body?.serialized ?? []
      return Answer(
        response: try await transport.request(
          request, to: Origin(host: "127.0.0.1", port: port), timeout: .seconds(20)))
    }

    func open(_ id: String, as user: String) async throws -> any WebSocketConnection {
      let request = WebSocketRequest(
        host: "127.0.0.1", port: port, path: "/v1/agents/sessions/\(id)/events",
        query: [("api_key", "first"), ("token", token(user)), ("v", "2")])
      return try await transport.openWebSocket(request, timeout: .seconds(20))
    }
  }

  private func withService(_ body: (Service) async throws -> Void) async throws {
    let runtime = LoopRuntime()
    let configuration = RouterConfiguration(
      apps: [RouterConfiguration.App(key: "first", secret: "s")],
      agents: [AgentConfiguration(name: "assistant", instructions: "")],
      defaultAgent: "assistant")
    let environment = RouterEnvironment(
      runtime: runtime, store: MemoryStore(executor: runtime.executor),
      configuration: configuration, providers: ProviderRegistry())
    let directory = SessionDirectory(environment: environment) { record, _, history, environment in
      ScriptedHolder(record: record, history: history, environment: environment)
    }
    let server = try await LoopServer.start(
      LoopServer.Configuration(), handler: Router(environment: environment, directory: directory),
      runtime: runtime)
    let service = Service(
      runtime: runtime, server: server, transport: LoopTransport(runtime: runtime),
      directory: directory, port: await server.port)
    do {
      try await body(service)
    } catch {
      await runtime.stop()
      throw error
    }
    await runtime.stop()
  }

  private func frame(_ event: WebSocketEvent?) -> Frame? {
    guard case .message(.text(let text)) = event else { return nil }
    // A message that is no frame is nil, which the expectation shows.
    return (try? JSONValue.parse(text)).flatMap(Frame.init(json:))
  }

  @Test func aSessionIsOpenedWatchedAndClosed() async throws {
    try await withService { service in
      let created = try await service.send(.post, "", ["id": "one"], as: "anna")
      #expect(created.status == 201)
      #expect(created.response.headers["X-Request-Id"] != nil)
      let socket = try await service.open("one", as: "anna")
      #expect(frame(await socket.receive())?.type == .snapshot)
      await socket.send(.text(#"{"type":"say","text":"grüß dich 🚚"}"#))
      let accepted = frame(await socket.receive())
      #expect(accepted?.type == .commandAccepted)
      #expect(accepted?.seq == 1)
      #expect(accepted?["command"]?["text"] == "grüß dich 🚚")
      await socket.send(.text(#"{"type":"close"}"#))
      #expect(frame(await socket.receive())?.type == .left)
      #expect(await socket.receive() == .closed(code: 1000, reason: "the session ended"))
      #expect(try await service.send(.get, "/one", as: "anna").json["state"] == "ended")
      #expect(try await service.send(.delete, "/one", as: "anna").status == 204)
      #expect(try await service.send(.get, "/one", as: "anna").code == "session_not_found")
    }
  }

  @Test func aRefusedUpgradeCarriesStatusAndRequestID() async throws {
    try await withService { service in
      _ = try await service.send(.post, "", ["id": "one"], as: "anna")
      do throws(TransportError) {
        _ = try await service.transport.openWebSocket(
          WebSocketRequest(
            host: "127.0.0.1", port: service.port, path: "/v1/agents/sessions/one/events",
            query: [("api_key", "first"), ("token", service.token("bert"))]),
          timeout: .seconds(20))
        Issue.record("the upgrade was accepted")
      } catch {
        guard case .refused(let response) = error else {
          Issue.record("failed as \(error)")
          return
        }
        #expect(response.status == 404)
      }
    }
  }
}
