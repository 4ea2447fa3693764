import Foundation
import Networking
import Providers
import SessionsModel
import Stores
import Testing

@testable import AgentRouter

/// A router over a real file that stops without a word and is started again.
@Suite struct RestartTests {
  private func router(
    _ runtime: LoopRuntime, _ path: String
  ) async throws -> (Router, SQLiteStore) {
    let store = try await SQLiteStore.open(path: path)
    let configuration = RouterConfiguration(
      apps: [RouterConfiguration.App(key: "first", secret: "s")],
      agents: [AgentConfiguration(name: "assistant", instructions: "")],
      defaultAgent: "assistant")
    let environment = RouterEnvironment(
      runtime: runtime, store: store, configuration: configuration, providers: ProviderRegistry())
    try await SessionRecovery.run(environment)
    let directory = SessionDirectory(environment: environment) { record, _, history, environment in
      ScriptedHolder(record: record, history: history, environment: environment)
    }
    return (Router(environment: environment, directory: directory), store)
  }

  @discardableResult
  private func send(
    _ runtime: LoopRuntime, _ router: Router, _ method: HTTPRequest.Method, _ path: String,
    _ body: JSONValue = [:]
  ) async -> Answer {
    var request = HTTPRequest(method, "/v1/agents/sessions" + path, body: body.serialized)
    request.headers["X-Api-Key"] = "first"
    request.headers["Authorization"] = Token.mint(TokenClaims(userID: "anna"), secret: "s")
    return await runtime.task { [request] in
      Answer(response: await router.respond(to: request))
    }.value
  }

  @Test func whatWasAnsweredIsThereAfterARestart() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appending(path: "sessions.db").path
    let runtime = LoopRuntime()

    let (first, firstStore) = try await router(runtime, path)
    let body: JSONValue = ["id": "one", "title": "Order 1042", "custom": ["n": [1, 2.5]]]
    let created = await send(runtime, first, .post, "", body)
    #expect(created.status == 201)
    let asked = await send(
      runtime, first, .post, "/one/responses", ["text": "hello", "request_id": "r1"])
    #expect(asked.status == 202)
    await send(runtime, first, .post, "/one/channel/messages", ["text": "note"])
    // A turn that the agent was at when the router stopped.
    let record = try #require(try await firstStore.session("one", app: "first"))
    let running = TurnRecord(
      sessionID: "one", id: "t2", requestID: "r2", origin: .typed, said: "more",
      createdAt: Date(millisecondsSince1970: 1))
    try await firstStore.commit([.turn(running, record.key)])
    await firstStore.close()

    let (second, secondStore) = try await router(runtime, path)
    let found = await send(runtime, second, .get, "/one")
    #expect(found.json["title"] == "Order 1042")
    #expect(found.json["custom"] == created.json["custom"])
    #expect(found.json["state"] == "ended")
    let turns = await send(runtime, second, .get, "/one/responses")
    #expect(turns.json["items"]?[0]?["said"] == "hello")
    #expect(turns.json["items"]?[1]?["status"] == "failed")
    let retried = await send(
      runtime, second, .post, "/one/responses", ["text": "hello", "request_id": "r1"])
    #expect(retried.status == 200)
    #expect(retried.json["id"] == asked.json["id"])
    let channel = await send(runtime, second, .get, "/one/channel")
    #expect(channel.json["messages"]?[0]?["text"] == "note")
    #expect(await send(runtime, second, .post, "/one/responses", ["text": "x"]).status == 202)
    await secondStore.close()
    await runtime.stop()
  }
}
