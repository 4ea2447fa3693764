import Foundation
import Networking

/// A person in front of the microphone: silent room, and utterances whose last voiced sample is
/// known. A value; one seed, one voice.
struct SimulatedPerson: Sendable {
  private struct Planned {
    var utterance: Utterance
    var sound: [Float]
  }

  /// 10 ms.
  private static let blockFrames = 480

  private var generator: SplitMix64
  private var planned: [Planned] = []
  /// Blocks of the room's noise, one after the other for ever.
  private let room: [[Float]]

  init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
    var noise = SplitMix64(seed: seed &+ 1)
    // -72 dBFS: a quiet room, so that a detector's noise floor has something to rest on.
    room = (0..<100).map { _ in
      (0..<Self.blockFrames).map { _ in 0.0004 * Self.signed(noise.next()) }
    }
  }

  /// Plans an utterance that begins at `frame` of the capture axis.
  mutating func say(at frame: Int, duration: Duration) -> Utterance {
    let count = Int(duration.milliseconds * 48)
    let utterance = Utterance(firstVoiced: frame, lastVoiced: frame + count - 1)
    planned.append(Planned(utterance: utterance, sound: speech(frames: count)))
    return utterance
  }

  /// What reaches the microphone in the block that begins at `frame`, without the speaker's echo.
  func sound(at frame: Int) -> [Float] {
    var block = room[frame / Self.blockFrames % room.count]
    for item in planned {
      let first = max(frame, item.utterance.firstVoiced)
      let end = min(frame + Self.blockFrames, item.utterance.lastVoiced + 1)
      guard first < end else { continue }
      for index in first..<end {
        block[index - frame] += item.sound[index - item.utterance.firstVoiced]
      }
    }
    return block
  }

  /// Harmonics of a gliding pitch in syllables that never fall silent; loud up to the last sample.
  private mutating func speech(frames: Int) -> [Float] {
    let pitch = 100 + Double(generator.next() % 60)
    let syllables = 2 + Double(generator.next() % 200) / 100
    let shift = Double(generator.next() % 628) / 100
    var phase = 0.0
    var sound: [Float] = []
    sound.reserveCapacity(frames)
    // A plain loop, as in the ear.
    var index = 0
    while index < frames {
      let time = Double(index) / 48_000
      phase += 2 * .pi * (pitch + 20 * sin(2 * .pi * 0.9 * time + shift)) / 48_000
      // Harmonics fall off by a half each: the sum of their series, instead of many sines.
      let value = sin(phase) / (1.25 - cos(phase))
      let isEnding = frames - index < 4_800
      let envelope = isEnding ? 1 : 0.6 + 0.4 * sin(2 * .pi * syllables * time + shift)
      sound.append(Float(0.15 * value * envelope))
      index += 1
    }
    return sound
  }

  private static func signed(_ bits: UInt64) -> Float {
    Float(Int64(bitPattern: bits) >> 40) / Float(1 << 23)
  }
}

/// Where an utterance of the simulated person lies, in capture frames at 48 kHz.
public struct Utterance: Sendable, Hashable {
  public var firstVoiced: Int
  public var lastVoiced: Int
}
