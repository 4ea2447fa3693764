import CAudioDevice
import CVoiceCore
import Foundation
import Glibc

/// One long run: +250 ppm for its first half, -250 for the second; the agent speaks three seconds of
/// every twenty; the microphone breaks off once an hour, as devices do.
struct SoakRun {
  struct Sample {
    var hours: Double
    var memoryKiB: Double
  }

  let hours: Double
  /// Times the speaker ran dry or its buffer over: our making, for the device never does it here.
  private(set) var xruns: UInt64 = 0
  /// Generations of which not every frame was heard, or no end was told.
  private(set) var unheard = 0
  /// Largest distance of the frames in flight from where they were after a minute, ms.
  private(set) var latency = 0.0
  private(set) var clock = 0.0
  private(set) var descriptorsMore = 0.0
  private(set) var speed = 0.0
  private var samples: [Sample] = []
  private let stand: SimulatedStand
  private let isReal: Bool
  private let voice: [Float]

  private static let playbackFrames: UInt32 = 1_920
  private static let second = 100
  private static let speech = 300
  private static let pattern = 2_000

  init(hours: Double, isReal: Bool, _ followsDrift: Bool) throws {
    self.hours = hours
    self.isReal = isReal
    var config = vc_config_default()
    config.listens = isReal ? 1 : 0
    config.follows_drift = followsDrift ? 1 : 0
    config.half_duplex = 0
    config.yields = 0
    var room = ad_simulated_config()
    room.playback_frames = Self.playbackFrames
    room.buffer_frames = 2 * Self.playbackFrames
    room.playback_ppm = 250
    room.wake_jitter_frames = 240
    room.report_jitter_frames = 12
    room.seed = 20
    room.echo_gain = isReal ? 0.3 : 0
    room.is_mute = isReal ? 0 : 1
    stand = try SimulatedStand(config, room: room)
    voice = (0..<480 * 64).map { Float(0.1 * sin(Double($0 % 480) * 0.0131 * 2)) }
  }

  mutating func run() throws {
    let blocks = Int(hours * 3_600) * Self.second
    let begun = Machine.threadSeconds
    let descriptors = Self.descriptors()
    var generation: UInt32 = 0
    var target = 0.0
    for block in 0..<blocks {
      if block == blocks / 2 { ad_simulated_set_ppm(stand.device, -250) }
      // At a time when nobody speaks; what is lost then is the device's doing.
      if block % (3_600 * Self.second) == 15 * Self.second {
        ad_simulated_xrun(stand.device, Int32(AD_SIMULATED_CAPTURE), 700)
      }
      if block % Self.pattern == 0 {
        if generation > 0, !isHeard(generation) { unheard += 1 }
        generation += 1
        stand.speak(generation: generation, packets: Self.speech)
      }
      step(block)
      if block == 60 * Self.second { target = stand.truth.in_flight_frames }
      if block > 60 * Self.second, block % Self.second == 50 {
        latency = max(latency, abs(stand.truth.in_flight_frames - target) / 48)
        clock = max(clock, stand.clockError)
      }
      if block % (blocks / 72 + 1) == 0 {
        samples.append(Sample(hours: Double(block) / 360_000, memoryKiB: Self.residentKiB()))
      }
    }
    let truth = stand.truth
    xruns = truth.underruns + (truth.refused_frames > 0 ? 1 : 0)
    descriptorsMore = Double(Self.descriptors() - descriptors)
    speed = hours * 3_600 / (Machine.threadSeconds - begun)
  }

  private func step(_ block: Int) {
    guard isReal else { return stand.step() }
    // The person talks for four seconds of ten.
    let isTalking = block % 1_000 < 400
    voice.withUnsafeBufferPointer { voice in
      stand.step(nearEnd: isTalking ? voice.baseAddress! + block % 64 * 480 : nil)
    }
  }

  private func isHeard(_ generation: UInt32) -> Bool {
    let progress = stand.progress
    return progress.generation == generation && progress.finished == 1
      && progress.played_frames == UInt64(Self.speech * 480)
  }

  /// Growth an hour by least squares, the first of the samples left out: then caches are filled.
  func slope(of value: KeyPath<Sample, Double>, _ name: String, unit: String, bar: Double) -> Figure
  {
    let kept = samples.dropFirst(4)
    guard kept.count > 8 else {
      return Figure(name, unit: unit, why: "the run is too short for a slope")
    }
    let count = Double(kept.count)
    let hours = kept.map(\.hours).reduce(0, +) / count
    let mean = kept.map { $0[keyPath: value] }.reduce(0, +) / count
    let above = kept.map { ($0.hours - hours) * ($0[keyPath: value] - mean) }.reduce(0, +)
    let below = kept.map { ($0.hours - hours) * ($0.hours - hours) }.reduce(0, +)
    return Figure(name, [above / below], unit: unit, bar: bar, better: .lower)
  }

  private static func residentKiB() -> Double {
    // Without /proc there is no figure, and the slope says zero of zero.
    let fields = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?
      .split(separator: " ")
    guard let fields, fields.count > 1, let pages = Double(fields[1]) else { return 0 }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_024
  }

  private static func descriptors() -> Int {
    // The folder itself is open while it is read, before and after alike.
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd"))?.count ?? 0
  }
}
