import Networking
import Simulation
import Testing

@testable import VisionAgentsCore

/// Tokens that are refused while several requests are under way, in every order of the steps.
@Suite(.onScenarioThread) struct TokenScenarios {
  @Test func aRefusedTokenIsFetchedOnceWhateverTheOrder() throws {
    for seed in 1...200 as ClosedRange<UInt64> {
      let runtime = SimulatedRuntime(seed: seed)
      let credentials = Credentials(.device(apiKey: "key"))
      let asked = Shared(0)
      credentials.set(User(id: "ann")) {
        asked.update { $0 += 1 }
        return "fresh-\(asked.value)"
      }
      let environment = VisionAgents.Environment(
        runtime: runtime, transport: InMemoryTransport(handler: Nobody(), runtime: runtime),
        openDevice: { throw Unused() }, closeDevice: { _ in }, appExecutor: runtime)
      let tokens = TokenSource(credentials, environment: environment)
      let sent = Shared<[String?]>([])
      for _ in 0..<3 {
        runtime.throwingTask {
          var token = try await tokens.token()
          if token == "fresh-1" { token = try await tokens.renew(token) }
          let last = token
          sent.update { $0.append(last) }
        }
      }
      runtime.run(until: { sent.value.count == 3 }, limit: .seconds(1))
      #expect(sent.value == ["fresh-2", "fresh-2", "fresh-2"], "VOICE_SEED=\(seed)")
      #expect(asked.value == 2, "VOICE_SEED=\(seed)")
    }
  }

  private struct Unused: Error {}

  private struct Nobody: HTTPHandler {
    func respond(to request: HTTPRequest) async -> HTTPResponse { HTTPResponse(status: 503) }
    func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade {
      .refuse(HTTPResponse(status: 503))
    }
  }
}
