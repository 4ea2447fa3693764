import Networking
import Testing

@testable import AgentRouter

@Suite struct TurnMetricsTests {
  @Test func turnsAreCountedInTheBucketsTheyBelongTo() {
    let metrics = TurnMetrics()
    metrics.ended("completed", milliseconds: ["v2v_ms": 480, "endpoint_ms": 300])
    metrics.ended("completed", milliseconds: ["v2v_ms": 950])
    metrics.ended("failed", milliseconds: [:])
    metrics.count("fillers")
    let lines = metrics.text.split(separator: "\n").map(String.init)
    for line in [
      "voice_turns_total{outcome=\"completed\"} 2", "voice_turns_total{outcome=\"failed\"} 1",
      "voice_fillers_total 1", "voice_turn_v2v_milliseconds_bucket{le=\"400\"} 0",
      "voice_turn_v2v_milliseconds_bucket{le=\"530\"} 1",
      "voice_turn_v2v_milliseconds_bucket{le=\"+Inf\"} 2", "voice_turn_v2v_milliseconds_sum 1430.0",
      "voice_turn_endpoint_milliseconds_bucket{le=\"300\"} 1",
    ] { #expect(lines.contains(line), "\(line)") }
  }

  @Test func metricsAreForThisMachineAndForBackends() throws {
    let harness = RouterHarness()
    var request = HTTPRequest(.get, "/metrics")
    request.remoteAddress = "127.0.0.1"
    #expect(try harness.send(request).status == 200)
    request.remoteAddress = "10.0.0.7"
    #expect(try harness.send(request).status == 401)
    request.headers["X-Api-Key"] = "first"
    request.headers["Authorization"] = "Bearer " + harness.token(user: "anna")
    #expect(try harness.send(request).status == 403)
    request.headers["Authorization"] = "Bearer " + harness.token(user: nil)
    request.headers["Stream-Auth-Type"] = "server"
    #expect(try harness.send(request).status == 200)
  }
}
