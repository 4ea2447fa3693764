import Foundation
import SessionsModel

/// The events sockets of the built router: one session with many watchers beside a loop written by
/// hand, a watcher that stops reading, and thousands of sessions in which nothing happens.
struct EventsBench: Bench {
  let name = "events"
  let summary = "fan-out of one session's events beside an epoll loop; idle sessions"
  let controls = ["send=slow"]

  /// What the loop by hand takes, us of CPU a delivery; outside it the ratio says nothing.
  private static let referenceRange = 1.0...4.5
  private static let eventsPerSecond = "20"

  func run(_ options: BenchOptions) async throws -> [Figure] {
    let fan = try await fanOut(options)
    try fan.failUnderControl(options)
    return fan + (try await idle(options))
  }

  // MARK: One session, many watchers

  private struct FanOut {
    var cpuMicroseconds: Double
    var p99: Double
    var closed: Double
  }

  private func fanOut(_ options: BenchOptions) async throws -> [Figure] {
    let watchers = options.isQuick ? 200 : 1000
    let seconds = options.isQuick ? "2" : "5"
    return try await withPlace { folder in
      let router = try RouterUnderTest(
        in: folder, sendNanoseconds: options.controls.contains("send=slow") ? 20_000 : 0)
      defer { router.kill() }
      let headers = RouterUnderTest.headers
      let reference = try ChildProgram(ChildProgram.beside("fanout-epoll"), [])
      defer {
        reference.kill()
        _ = reference.wait()
      }
      guard let port = reference.readLine() else { throw BenchFailure("No reference loop.") }
      var ours: [Double] = []
      var theirs: [Double] = []
      var ratios: [Double] = []
      var slowing: [Double] = []
      for run in 0..<(options.isQuick ? 2 : 5) {
        let session = "fan-\(run)"
        try Load.run(["create", "\(router.port)", headers, "1", "1", session, ""])
        func fan(_ port: String, stopped: Int, _ cpu: () -> Double) throws -> FanOut {
          try Self.measure(
            [
              "fanout", port, headers, "\(watchers)", seconds, "\(session)-0",
              Self.eventsPerSecond, "\(stopped)",
            ], cpu)
        }
        let all = try fan("\(router.port)", stopped: 0) { router.cpuSeconds }
        let byHand = try fan(port, stopped: 0) { ChildProgram.cpuSeconds(of: reference.processID) }
        let oneStopped = try fan("\(router.port)", stopped: 1) { router.cpuSeconds }
        ours.append(all.cpuMicroseconds)
        theirs.append(byHand.cpuMicroseconds)
        ratios.append(all.cpuMicroseconds / byHand.cpuMicroseconds)
        slowing.append((oneStopped.p99 / all.p99 - 1) * 100)
      }
      var ratio = Figure("fanout_cpu_ratio", ratios, unit: "ratio", bar: 1.5, better: .lower)
        .beside("epoll loop by hand, us a delivery", theirs)
      if let byHand = median(theirs), !Self.referenceRange.contains(byHand) {
        ratio = Figure(
          "fanout_cpu_ratio", unit: "ratio",
          why: "the loop by hand took \(byHand) us, outside \(Self.referenceRange)")
      }
      return [
        ratio, Figure("fanout_cpu_us", ours, unit: "us", better: .lower),
        Figure("fanout_slow_reader_pct", slowing, unit: "%", bar: 5, better: .lower),
      ]
    }
  }

  @inline(never)
  private static func measure(_ load: [String], _ cpuSeconds: () -> Double) throws -> FanOut {
    let program = try Load.start(load)
    let joined = try program.readFigures()
    try requireJoined(joined)
    let before = cpuSeconds()
    program.goOn()
    let result = try program.readFigures()
    let used = cpuSeconds() - before
    _ = program.wait()
    try requireWhole(result)
    return FanOut(
      cpuMicroseconds: used * 1e6 / (try result.number("deliveries")),
      p99: try result.number("p99_ms"), closed: try result.number("closed"))
  }

  // Not inlined: the compiler's optimizer (6.3.1) breaks two throws of one kind in one closure.
  @inline(never)
  private static func requireJoined(_ joined: JSONValue) throws {
    guard joined["failure"] == nil else {
      throw BenchFailure("A watcher was not let in: \(joined.serializedText)")
    }
  }

  @inline(never)
  private static func requireWhole(_ result: JSONValue) throws {
    guard try result.number("failure") == 0 else {
      throw BenchFailure("A post was not answered: \(result.serializedText)")
    }
  }

  @inline(never)
  private static func requireOpen(_ result: JSONValue) throws {
    guard try result.number("closed") == 0 else {
      throw BenchFailure("Idle watchers were closed: \(result.serializedText)")
    }
  }

  // MARK: Many sessions, nothing happens

  private func idle(_ options: BenchOptions) async throws -> [Figure] {
    let sessions = options.isQuick ? 1000 : 10_000
    // Two rounds of pings, which come every 30 s.
    let seconds = options.isQuick ? 32.0 : 62
    return try await withPlace { folder in
      let router = try RouterUnderTest(in: folder)
      defer { router.kill() }
      let headers = RouterUnderTest.headers
      try Load.run(["create", "\(router.port)", headers, "1", "0.5", "warm", ""])
      let before = router.residentKiB
      let program = try Load.start(["idle", "\(router.port)", headers, "\(sessions)", "\(seconds)"])
      let joined = try program.readFigures()
      try Self.requireJoined(joined)
      let memory = (router.residentKiB - before) / Double(sessions)
      let cpu = router.cpuSeconds
      program.goOn()
      let result = try program.readFigures()
      let used = router.cpuSeconds - cpu
      program.goOn()
      _ = program.wait()
      try Self.requireOpen(result)
      let share = used / seconds * 100
      return [
        Figure(
          options.isQuick ? "idle_1k_core_pct" : "idle_10k_core_pct", [share], unit: "%", bar: 1,
          better: .lower),
        Figure("idle_kib_per_session", [memory], unit: "KiB", bar: 16, better: .lower),
        Figure("idle_pings", [try result.number("pings")], unit: "count"),
      ]
    }
  }
}
