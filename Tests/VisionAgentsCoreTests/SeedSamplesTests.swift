import Foundation
import Networking
import SeedSamples
import Testing
import VisionAgentsCore
import VoiceEngine

/// The seed's samples over real sockets, with the SDK's live network.
@MainActor
struct SeedSamplesTests {
  @Test func theSamplesInWritingRunOverTheLiveNetwork() async throws {
    let router = LoopbackRouter()
    let runtime = ScriptedWorld.runtime
    let server = try await LoopServer.start(handler: router, runtime: runtime)
    let port = await server.port
    let url = try #require(URL(string: "http://127.0.0.1:\(port)"))
    let agents = VisionAgents(
      apiKey: "key", url: url,
      environment: .live(device: VoiceDeviceConfiguration(), runtime: runtime))
    agents.setUser(User(id: "jlahey"), token: "token-1")
    let agent = agents.agent("myagent")

    let session = try await SeedSamples.createWithOptions(agent: agent)
    #expect(session.isConnected, "\(session.failure.map { "\($0)" } ?? "")")
    try await SeedSamples.respond(session: session)
    try await SeedSamples.interrupt(session: session)
    #expect(try await SeedSamples.update(session: session).title == "Order 1042")
    #expect(try await SeedSamples.query(agent: agent).map(\.id) == ["s1"])
    #expect(try await SeedSamples.search(agent: agent).id == "s1")
    #expect(try await SeedSamples.paginate(agent: agent).count == 2)
    try await SeedSamples.rewind(session: session, turns: session.turns)
    try await SeedSamples.closeAndDelete(session: session)
    #expect(session.state == .ended && session.failure == nil)
    #expect(router.paths.contains { $0.contains("Hi, I can help with your order.") })
    #expect(router.paths.contains { $0.contains("\"interrupt\"") })
    #expect(router.paths.last == "DELETE /v1/agents/sessions/s1")
    await server.stop()
  }

  @Test func noRouterIsSaidWithItsAddress() async throws {
    let probe = try await LoopServer.start(
      handler: LoopbackRouter(), runtime: ScriptedWorld.runtime)
    let port = await probe.port
    await probe.stop()
    let agents = VisionAgents(
      apiKey: "key", url: try #require(URL(string: "http://127.0.0.1:\(port)")),
      environment: .live(device: VoiceDeviceConfiguration(), runtime: ScriptedWorld.runtime))
    agents.setUser(User(id: "jlahey"), token: "token-1")
    do {
      _ = try await agents.agent("myagent").sessions.create()
      Issue.record("something answered")
    } catch AgentsError.transport(let error) {
      #expect("\(error)".contains("\(port)"))
    }
  }
}
