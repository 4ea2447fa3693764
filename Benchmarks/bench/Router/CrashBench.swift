import Foundation
import Glibc
import SessionsModel

/// Acknowledged writes after the built router was killed, and after the power failed under it.
struct CrashBench: Bench {
  let name = "crash"
  let summary = "acknowledged writes after kill -9, and after a loss of power"
  let controls = ["sync=off"]

  private static let clients = 16

  /// What was found after one end.
  private struct Tally {
    var cycles = 0
    var acknowledged = 0.0
    var lost = 0.0
    var corrupt = 0.0

    mutating func add(_ check: JSONValue) throws {
      cycles += 1
      acknowledged += try check.number("acknowledged")
      lost += try check.number("lost") + (try check.number("wrong"))
      corrupt += try check.number("corrupt")
    }
  }

  func run(_ options: BenchOptions) async throws -> [Figure] {
    let isControl = options.controls.contains("sync=off")
    let seeds = options.isQuick || isControl ? 20 : 1000
    let power = try await lossesOfPower(seeds, faults: isControl ? ",sync=off" : "")
    if isControl {
      let found = [
        Figure("crash_lost", [power.lost], unit: "count", bar: 0, better: .lower),
        Figure("crash_corrupt", [power.corrupt], unit: "count", bar: 0, better: .lower),
      ]
      try found.failUnderControl(options)
      return found
    }
    let killed = try await kills(options.isQuick ? 20 : 1000)
    var figures = [
      Figure("crash_cycles", [Double(killed.cycles)], unit: "count"),
      Figure("powerloss_seeds", [Double(power.cycles)], unit: "count"),
      Figure(
        "crash_acknowledged", [killed.acknowledged + power.acknowledged], unit: "count"),
      Figure("crash_lost", [killed.lost + power.lost], unit: "count", bar: 0, better: .lower),
      Figure(
        "crash_corrupt", [killed.corrupt + power.corrupt], unit: "count", bar: 0, better: .lower),
    ]
    figures += try await starts(options)
    return figures
  }

  // MARK: kill -9

  /// One store through all cycles; every start reads what the one before left.
  private func kills(_ cycles: Int) async throws -> Tally {
    try await withPlace { folder in
      var tally = Tally()
      let ids = folder.appending(path: "ids").path
      var generator = SeededGenerator(seed: 1)
      for cycle in 0..<cycles {
        let router = try RouterUnderTest(in: folder)
        let load = try Load.start([
          "create", "\(router.port)", RouterUnderTest.headers, "\(Self.clients)", "5",
          "k\(cycle)", ids,
        ])
        usleep(UInt32(5_000 + generator.next() % 60_000))
        router.kill()
        _ = load.readLine()
        _ = load.wait()
        tally.cycles += 1
      }
      // Looked at once more by the check itself, which finds every id of all cycles.
      let check = try Load.run(["check", folder.appending(path: "sessions.db").path, ids])
      try tally.add(check)
      tally.cycles -= 1
      return tally
    }
  }

  // MARK: The power fails

  private func lossesOfPower(_ seeds: Int, faults: String) async throws -> Tally {
    var tally = Tally()
    var generator = SeededGenerator(seed: 2)
    for seed in 1...seeds {
      // A new store has some forty operations behind it before the first session is written.
      let operation = 20 + generator.next() % 600
      let check = try await withPlace { folder in
        let ids = folder.appending(path: "ids").path
        try Data().write(to: URL(filePath: ids))
        // The power may fail before the router says where it listens; what is left must be sound.
        if let router = try? RouterUnderTest(
          in: folder, faults: "power=\(operation),seed=\(seed)\(faults)")
        {
          try Load.run([
            "create", "\(router.port)", RouterUnderTest.headers, "\(Self.clients)", "20",
            "p\(seed)", ids,
          ])
          router.kill()
        }
        return try Load.run(["check", folder.appending(path: "sessions.db").path, ids])
      }
      let lost = try check.number("lost") + check.number("wrong") + check.number("corrupt")
      if lost > 0 {
        FileHandle.standardError.write(
          Data("power=\(operation),seed=\(seed): \(check.serializedText)\n".utf8))
      }
      try tally.add(check)
    }
    return tally
  }

  // MARK: Starting

  private func starts(_ options: BenchOptions) async throws -> [Figure] {
    try await withPlace { folder in
      try RouterUnderTest(in: folder).stop()
      try await ManySessions.write(
        options.isQuick ? 10_000 : 100_000, to: folder.appending(path: "sessions.db").path)
      var times: [Double] = []
      for _ in 0..<(options.isQuick ? 3 : 9) {
        let router = try RouterUnderTest(in: folder)
        times.append(router.startMilliseconds)
        router.stop()
      }
      return [
        Figure(
          options.isQuick ? "start_10k_ms" : "start_100k_ms", times, unit: "ms", bar: 50,
          better: .lower)
      ]
    }
  }
}

/// SplitMix64: the same cycles every time.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }
}
