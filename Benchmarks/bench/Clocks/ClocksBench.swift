import CAudioDevice
import CVoiceCore

/// How well the core follows a speaker whose clock is another than the microphone's, and whether it
/// knows when each sample is heard.
struct ClocksBench: Bench {
  let name = "clocks"
  let summary = "drift and playout clock on a device with two clocks, against the room's truth"
  let controls = ["drift=off"]

  /// What is not a matter of one block: until then an unannounced change may go unnoticed.
  private static let noticeBlocks = 8
  private static let minute = 6_000

  private struct Case {
    var ppm: Double
    var inDevice: UInt32
    var hidden: UInt32
  }

  private static let cases = [
    Case(ppm: 500, inDevice: 960, hidden: 0), Case(ppm: -500, inDevice: 1_440, hidden: 2_400),
    Case(ppm: 250, inDevice: 4_800, hidden: 7_200), Case(ppm: -250, inDevice: 14_400, hidden: 0),
    Case(ppm: 37, inDevice: 33_600, hidden: 14_400), Case(ppm: 0, inDevice: 1_440, hidden: 0),
  ]

  private struct Result {
    var drift = 0.0
    var clock = 0.0
    var lockSeconds = 0.0
  }

  func run(_ options: BenchOptions) async throws -> [Figure] {
    var results: [Result] = []
    for (index, example) in Self.cases.enumerated() {
      for seed in 1...(options.isQuick ? 1 : 5) {
        results.append(
          try measure(example, seed: UInt32(index * 100 + seed), options: options))
      }
    }
    return [
      worst("drift_error_ppm_rms", results.map(\.drift), unit: "ppm", bar: 1),
      worst("drift_lock_s", results.map(\.lockSeconds), unit: "s", bar: 60),
      worst("playout_clock_error_ms", results.map(\.clock), unit: "ms", bar: 2),
    ]
  }

  /// The largest of the runs is the figure: each of them is promised.
  private func worst(_ name: String, _ runs: [Double], unit: String, bar: Double) -> Figure {
    var figure = Figure(name, runs, unit: unit, bar: bar, better: .lower)
    figure.value = runs.max()
    return figure
  }

  private func measure(_ example: Case, seed: UInt32, options: BenchOptions) throws -> Result {
    var config = vc_config_default()
    config.listens = 0
    config.follows_drift = options.controls.contains("drift=off") ? 0 : 1
    var room = ad_simulated_config()
    room.playback_frames = example.inDevice
    room.playback_ppm = example.ppm
    room.hidden_latency_frames = example.hidden
    room.reported_latency_frames = example.hidden
    // A busy machine and an ordinary driver.
    room.wake_jitter_frames = 240
    room.report_jitter_frames = 12
    room.seed = seed
    room.is_mute = 1
    let stand = try SimulatedStand(config, room: room)
    var result = Result()
    lock(stand, to: example.ppm, &result)
    let dry = stand.truth.underruns
    guard dry == 0 else {
      throw BenchFailure(
        "at \(example.ppm) ppm the speaker ran dry \(dry) times in two minutes.")
    }
    disturb(stand, &result)
    return result
  }

  private func lock(_ stand: SimulatedStand, to ppm: Double, _ result: inout Result) {
    var squares = 0.0
    for block in 0..<2 * Self.minute {
      stand.step()
      let error = Double(stand.playout.drift_ppm) - ppm
      if abs(error) > 1 { result.lockSeconds = Double(block + 1) / 100 }
      // The first report of all may be wrong; half a second is enough to know better.
      if block > 50 { result.clock = max(result.clock, stand.clockError) }
      if block >= Self.minute { squares += error * error }
    }
    result.drift = (squares / Double(Self.minute)).squareRoot()
  }

  /// Pauses and breaks of each side.
  private func disturb(_ stand: SimulatedStand, _ result: inout Result) {
    let playback = Int32(AD_SIMULATED_PLAYBACK)
    let capture = Int32(AD_SIMULATED_CAPTURE)
    let disturbances: [(blocks: Int, what: () -> Void)] = [
      (10, { ad_simulated_pause(stand.device, playback, 4_800) }),
      (0, { ad_simulated_pause(stand.device, capture, 2_400) }),
      (0, { ad_simulated_xrun(stand.device, playback, 0) }),
      (0, { ad_simulated_xrun(stand.device, capture, 1_000) }),
      (0, { ad_simulated_lose_frames(stand.device, 3_333) }),
    ]
    for disturbance in disturbances {
      disturbance.what()
      for block in 0..<200 {
        stand.step()
        // While a clock stands still nobody can know when it goes on.
        if block >= disturbance.blocks + Self.noticeBlocks {
          result.clock = max(result.clock, stand.clockError)
        }
      }
    }
  }
}
