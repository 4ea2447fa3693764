/// Where in its last windows an utterance fell silent, to the millisecond. A value.
///
/// A detector judges windows of 32 ms and stays undecided for a window more; dated by its windows
/// alone every latency looked 10 to 44 ms shorter than it was. What is left are the up to 24 ms for
/// which an Opus frame rings on (both measured against the room of the simulation). Voiced is what
/// is at most 40 dB below the loudest part, as in the labels of `fixtures/`; in a room louder than
/// that the detector's own window stands.
struct VoicedEnd {
  /// 1 ms at 16 kHz.
  static let blockSamples = 16
  /// -40 dB, as a ratio of powers.
  static let shareOfLoudest: Float = 1e-4
  /// How far back a detector's last voiced window is doubted.
  static let windowsAtMost = 4

  private struct Window {
    var first: UInt64
    var powers: [Float]
  }

  private var loudest: Float = 0
  private var windows: [Window] = []

  /// Takes a window that the detector calls voiced.
  mutating func take(first: UInt64, samples: [Int16]) {
    let powers = Self.powers(samples)
    loudest = max(loudest, powers.max() ?? 0)
    windows.append(Window(first: first, powers: powers))
    if windows.count > Self.windowsAtMost { windows.removeFirst() }
  }

  /// An utterance begins: what was loud before it, such as a door, does not count.
  mutating func begin() {
    loudest = windows.flatMap(\.powers).max() ?? 0
  }

  /// Whether nothing of a window is voiced.
  func isSilent(_ samples: [Int16]) -> Bool {
    Self.powers(samples).allSatisfy { $0 < loudest * Self.shareOfLoudest }
  }

  /// Whether a window is clearly not silent: 6 dB more than that. In between nothing changes.
  func isLoud(_ samples: [Int16]) -> Bool {
    Self.powers(samples).contains { $0 >= 4 * loudest * Self.shareOfLoudest }
  }

  private static func powers(_ samples: [Int16]) -> [Float] {
    stride(from: 0, to: samples.count, by: blockSamples).map { start in
      samples[start..<min(start + blockSamples, samples.count)].reduce(into: Float(0)) {
        $0 += Float($1) * Float($1)
      }
    }
  }

  /// Just behind the last voiced sample, at or before `detected`.
  func refined(_ detected: UInt64) -> UInt64 {
    for window in windows.reversed() {
      let last = window.powers.lastIndex { $0 >= loudest * Self.shareOfLoudest }
      guard let last else { continue }
      return min(detected, window.first + UInt64((last + 1) * Self.blockSamples))
    }
    return detected
  }
}
