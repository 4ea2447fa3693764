/// A device without a clock or a thread: its owner gives it 10 ms of near-end sound at a time.
public final class SimulatedVoiceDevice: VoiceDevice {
  /// What the room heard during one block of 10 ms, 480 samples each.
  public struct Heard: Sendable, Hashable {
    /// At the microphone: the near end and the echo.
    public var microphone: [Float]
    /// At the speaker.
    public var speaker: [Float]
  }

  /// Samples of one block.
  public static let blockSamples = 480

  /// Creates the core and the room around it.
  ///
  /// - Throws: ``AudioError`` of code `coreFailed`.
  public init(
    configuration: VoiceDeviceConfiguration = .init(), acoustics: SimulatedAcoustics = .init()
  ) throws(AudioError) {}

  /// Lets 10 ms pass. Does nothing (and returns silence) unless started.
  ///
  /// - Parameter nearEnd: 480 samples of the person's voice, or empty for silence.
  @discardableResult
  public func step(nearEnd: [Float] = []) -> Heard {
    Heard(microphone: [], speaker: [])
  }

  /// Takes the device away: ``VoiceDeviceOutput/deviceLost(_:)`` follows.
  public func lose(reason: String) {}

  /// Whether ``drain(_:)`` has something to hand out.
  public var hasOutput: Bool { false }

  public func start() throws(AudioError) {}
  public func stop() {}
  public var wakeDescriptor: Int32 { -1 }
  public func drain(_ body: (VoiceDeviceOutput) -> Void) {}
  public func receive(_ packet: SpeechPacket) -> Bool { false }
  public func flush(below generation: UInt32) {}
  public func setMuted(_ muted: Bool) {}

  public var playout: PlayoutSnapshot {
    PlayoutSnapshot(now: 0, isAudible: false, queuedPackets: 0, delayFrames: 0, progress: nil)
  }

  public var status: DeviceStatus {
    DeviceStatus(
      isRunning: false, isMuted: false, echo: .halfDuplex, capture: "", playback: "",
      isRealtime: false, notes: [], counters: DeviceCounters())
  }
}
