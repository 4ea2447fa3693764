/// The live device: ALSA, one audio thread, the voice core.
public final class VoiceEngine: VoiceDevice {
  private let configuration: VoiceDeviceConfiguration

  /// Creates the core; the device is opened by ``start()``.
  ///
  /// - Throws: ``AudioError`` of code `coreFailed`.
  public init(configuration: VoiceDeviceConfiguration = .init()) throws(AudioError) {
    self.configuration = configuration
  }

  public func start() throws(AudioError) {
    throw AudioError(code: .coreFailed, message: "The audio core is not built in yet.")
  }

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
