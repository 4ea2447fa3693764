import CAudioDevice
import CVoiceCore
import CVoiceDSP
import Foundation

/// From the microphone to the speaker through two cores' worth of work: what one core sends up comes
/// back to it as the agent's speech, half a millisecond later, on the virtual clock.
struct LatencyBench: Bench {
  let name = "latency"
  let summary = "microphone to speaker with the network looped back, beside the floor of its parts"
  let controls = ["buffer=long"]

  /// Two periods of 10 ms, as the floor has it.
  private static let periods: UInt32 = 2

  private struct Setting {
    var name: String
    var processes: Bool
    /// Canceller 7 ms, suppression 6 ms, band split 1 ms: measured of the library at 48 kHz.
    var processing: Double { processes ? 14 : 0 }
    /// Capture and frame 20, Opus lookahead 6.5, one frame of jitter buffer 20, playback two periods.
    var floor: Double { 20 + 6.5 + processing + 20 + 20 }
  }

  func run(_ options: BenchOptions) async throws -> [Figure] {
    let settings = [
      Setting(name: "mouth_to_ear", processes: true),
      Setting(name: "mouth_to_ear_plain", processes: false),
    ]
    return try settings.flatMap { setting in
      let runs = try (1...3).map {
        try measure(setting, seed: $0, isLong: options.controls.contains("buffer=long"))
      }
      let bar = 1.15 * setting.floor + 4
      if let slowest = runs.max(), slowest > bar, !options.controls.isEmpty {
        throw BenchFailure("\(setting.name) takes \(slowest) ms, more than \(bar) ms.")
      }
      return [
        Figure("\(setting.name)_ms", runs, unit: "ms", bar: bar, better: .lower)
          .beside("floor of its parts", [setting.floor]),
        Figure("\(setting.name)_floor_ms", [setting.floor], unit: "ms"),
      ]
    }
  }

  private func measure(_ setting: Setting, seed: UInt64, isLong: Bool) throws -> Double {
    var config = vc_config_default()
    config.cancels_echo = setting.processes ? 1 : 0
    config.suppresses_noise = setting.processes ? 1 : 0
    config.half_duplex = 0
    config.yields = 0
    config.bit_rate = 32_000
    var room = ad_simulated_config()
    room.playback_frames = Self.periods * 480 * (isLong ? 3 : 1)
    let stand = try SimulatedStand(config, room: room)
    let voice = Self.voice(seconds: 6, seed: seed)
    var heard: [Float] = []
    var returning: [vd_packet] = []
    for block in 0..<voice.count / 480 {
      for index in returning.indices { _ = vc_port_send(stand.port, &returning[index]) }
      returning.removeAll(keepingCapacity: true)
      voice.withUnsafeBufferPointer { voice in
        stand.step(
          nearEnd: voice.baseAddress! + block * 480,
          heard: { heard.append(contentsOf: UnsafeBufferPointer(start: $0, count: 480)) },
          sent: { packet in
            var back = packet
            back.generation = 1
            returning.append(back)
          })
      }
    }
    guard let lag = bestLag(of: heard, behind: voice) else {
      throw BenchFailure("the voice did not come out of the speaker.")
    }
    return Double(lag) / 48
  }

  /// Pulses of a voice at irregular times: a correlation has one clear peak.
  private static func voice(seconds: Int, seed: UInt64) -> [Float] {
    var state = seed
    func random() -> Double {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 33) / Double(1 << 31)
    }
    var samples = [Float](repeating: 0, count: seconds * 48_000)
    var at = 0
    while at < samples.count {
      // A glottal pulse through two resonances.
      for offset in 0..<min(600, samples.count - at) {
        let time = Double(offset) / 48_000
        let decay = 0.25 * exp(-time * 400)
        samples[at + offset] += Float(
          decay * (sin(2 * .pi * 700 * time) + 0.5 * sin(2 * .pi * 1_800 * time)))
      }
      at += 300 + Int(random() * 300)
    }
    return samples
  }

  private func bestLag(of heard: [Float], behind voice: [Float]) -> Int? {
    var best: (lag: Int, sum: Float) = (0, 0)
    for lag in 0..<9_600 {
      var sum: Float = 0
      for index in stride(from: 96_000, to: 192_000, by: 3) {
        sum += heard[index + lag] * voice[index]
      }
      if sum > best.sum { best = (lag, sum) }
    }
    return best.sum > 0 ? best.lag : nil
  }
}
