/// What a listener at the speaker hears of the agent: the room's own truth, independent of anything
/// that the product reports. A value.
public struct SpeakerEar: Sendable {
  /// A stretch of sound without a gap of 150 ms, in capture frames at 48 kHz.
  public struct Stretch: Sendable, Hashable {
    public var first: Int
    public var last: Int

    /// Length in milliseconds.
    public var milliseconds: Double { Double(last - first + 1) / 48 }
  }

  /// A sample over -40 dBFS is heard.
  public static let audible: Float = 0.01
  private static let gap = 7_200

  /// What was heard so far, oldest first.
  public private(set) var stretches: [Stretch] = []

  /// Everything at the speaker since the device was opened, at 48 kHz; empty unless it is kept.
  public private(set) var recording: [Float] = []
  private let isRecording: Bool

  init(isRecording: Bool = false) {
    self.isRecording = isRecording
  }

  mutating func hear(_ block: [Float], at frame: Int) {
    if isRecording {
      if frame == 0 { recording.removeAll() }
      recording += block
    }
    block.withUnsafeBufferPointer { samples in
      // A plain loop: in a debug build anything else is most of a scenario's time.
      var index = 0
      while index < samples.count {
        if samples[index] > Self.audible || samples[index] < -Self.audible {
          note(frame + index)
        }
        index += 1
      }
    }
  }

  private mutating func note(_ now: Int) {
    if let last = stretches.last?.last, now - last < Self.gap {
      stretches[stretches.count - 1].last = now
    } else {
      stretches.append(Stretch(first: now, last: now))
    }
  }

  /// The first audible sample behind `frame`.
  public func firstHeard(after frame: Int) -> Int? {
    stretches.first { $0.first > frame }?.first
  }
}
