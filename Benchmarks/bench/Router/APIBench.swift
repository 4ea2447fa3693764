import Foundation
import SessionsModel

/// The REST interface of the built router: CPU of a read beside nginx, durable writes over a disk
/// whose syncs take exactly 4 ms, lists and searches among 100,000 sessions.
struct APIBench: Bench {
  let name = "api"
  let summary = "the router's REST interface beside nginx; durable creates; lists and searches"
  let controls = ["group=off"]

  private static let clients = 64
  private static let syncMilliseconds = 4.0

  func run(_ options: BenchOptions) async throws -> [Figure] {
    let creates = try await creates(options)
    try creates.failUnderControl(options)
    var figures = try await reads(options) + creates
    figures += try await lists(options)
    return figures
  }

  // MARK: A session, read

  private func reads(_ options: BenchOptions) async throws -> [Figure] {
    try await withPlace { folder in
      let router = try RouterUnderTest(in: folder.appending(path: "router"))
      defer { router.kill() }
      let headers = RouterUnderTest.headers
      try Load.run(["create", "\(router.port)", headers, "1", "0.2", "get", ""])
      let nginx: ConstantNginx
      do {
        nginx = try ConstantNginx(in: folder, answer: 400)
      } catch {
        return [Figure("get_cpu_ratio_nginx", unit: "ratio", why: "\(error)")]
      }
      defer { nginx.stop() }
      var ours: [Double] = []
      var theirs: [Double] = []
      let seconds = options.isQuick ? "1" : "3"
      for _ in 0..<(options.isQuick ? 3 : 7) {
        ours.append(
          try Self.cpuMicroseconds(
            ["get", "\(router.port)", headers, "64", seconds, "/v1/agents/sessions/get-0"],
            { router.cpuSeconds }))
        theirs.append(
          try Self.cpuMicroseconds(
            ["get", "\(nginx.port)", "", "64", seconds, "/"], { nginx.cpuSeconds }))
      }
      let reference = median(theirs) ?? 0
      var ratio = Figure(
        "get_cpu_ratio_nginx", zip(ours, theirs).map { $0 / $1 }, unit: "ratio", bar: 4,
        better: .lower
      ).beside("nginx returning a constant, us", theirs)
      if !ConstantNginx.range.contains(reference) {
        ratio = Figure(
          "get_cpu_ratio_nginx", unit: "ratio",
          why: "nginx took \(reference) us, outside \(ConstantNginx.range): no quiet machine")
      }
      return [ratio, Figure("get_cpu_us", ours, unit: "us", better: .lower)]
    }
  }

  private static func cpuMicroseconds(
    _ load: [String], _ cpuSeconds: () -> Double
  ) throws -> Double {
    let before = cpuSeconds()
    let result = try Load.run(load)
    let used = cpuSeconds() - before
    guard try result.number("refused") == 0 else {
      throw BenchFailure("The server refused requests: \(result.serializedText)")
    }
    return used * 1e6 / (try result.number("requests"))
  }

  // MARK: Sessions, written

  private func creates(_ options: BenchOptions) async throws -> [Figure] {
    // One client alone shares its sync with nobody: then the bar cannot be reached.
    let clients = options.controls.contains("group=off") ? 1 : Self.clients
    let bar = 0.5 * Double(Self.clients) / (Self.syncMilliseconds / 1000)
    return try await withPlace { folder in
      let router = try RouterUnderTest(in: folder, faults: "sync_us=4000")
      defer { router.kill() }
      var rates: [Double] = []
      var tails: [Double] = []
      for run in 0..<(options.isQuick ? 2 : 5) {
        let result = try Load.run([
          "create", "\(router.port)", RouterUnderTest.headers, "\(clients)",
          options.isQuick ? "2" : "5", "run\(run)", "",
        ])
        rates.append(try result.number("requests") / (try result.number("seconds")))
        tails.append(try result.number("p99_ms") / Self.syncMilliseconds)
      }
      return [
        Figure("create_per_s_4ms_sync", rates, unit: "1/s", bar: bar, better: .higher),
        Figure("create_p99_syncs", tails, unit: "syncs", bar: 2.5, better: .lower),
      ]
    }
  }

  // MARK: Sessions, found

  private func lists(_ options: BenchOptions) async throws -> [Figure] {
    let count = options.isQuick ? 10_000 : 100_000
    return try await withPlace { folder in
      try RouterUnderTest(in: folder).stop()
      try await ManySessions.write(count, to: folder.appending(path: "sessions.db").path)
      let router = try RouterUnderTest(in: folder)
      defer { router.kill() }
      func ask(_ body: String) throws -> Double {
        let result = try Load.run([
          "query", "\(router.port)", RouterUnderTest.headers, "1", "60",
          "/v1/agents/sessions/query", body, options.isQuick ? "200" : "1000",
        ])
        guard try result.number("refused") == 0 else {
          throw BenchFailure("A query was refused: \(body)")
        }
        return try result.number("p99_ms")
      }
      let page = try ask(#"{"limit":25}"#)
      let rare = try ask(#"{"limit":25,"filter":{"text":{"$q":"word777"}}}"#)
      let everywhere = try ask(#"{"limit":25,"filter":{"text":{"$q":"conversation"}}}"#)
      let starts = [router.startMilliseconds]
      return [
        Figure("query_p99_ms", [page], unit: "ms", bar: 2, better: .lower),
        Figure("search_p99_ms", [max(rare, everywhere)], unit: "ms", bar: 8, better: .lower),
        Figure("search_rare_p99_ms", [rare], unit: "ms"),
        Figure("search_everywhere_p99_ms", [everywhere], unit: "ms"),
        Figure("start_of_\(count)_ms", starts, unit: "ms"),
      ]
    }
  }
}
