import CAudioDevice
import Glibc
import Synchronization

/// The live device: ALSA, one audio thread, the voice core.
public final class VoiceEngine: VoiceDevice {
  /// The open ALSA device, and what it said last.
  private struct Opened {
    /// `@unchecked Sendable` in effect: only reached under the mutex.
    nonisolated(unsafe) var device: OpaquePointer?
    var closedXruns: UInt64 = 0
  }

  private let configuration: VoiceDeviceConfiguration
  private let port: VoicePort
  private let recorder: ConversationRecorder
  private let opened = Mutex(Opened())

  /// Creates the core; the device is opened by ``start()``.
  ///
  /// - Throws: ``AudioError`` of code `coreFailed`.
  public init(configuration: VoiceDeviceConfiguration = .init()) throws(AudioError) {
    self.configuration = configuration
    let port = try VoicePort(configuration: configuration)
    self.port = port
    self.recorder = ConversationRecorder(port: port, hasThread: true)
  }

  deinit {
    stop()
  }

  public func start() throws(AudioError) {
    let failure: AudioError? = opened.withLock { opened in
      if opened.device != nil { Self.close(&opened) }
      do throws(AudioError) {
        // Recorded from the first block on, yet no file is made for a device that cannot be opened.
        let device = try open()
        opened.device = device
        if let path = configuration.recording { try recorder.start(path: path) }
        try Self.run(device)
        return nil
      } catch {
        if opened.device != nil { Self.close(&opened) }
        recorder.stop()
        return error
      }
    }
    if let failure { throw failure }
  }

  private func open() throws(AudioError) -> OpaquePointer {
    var config = ad_config()
    guard Self.copy(configuration.capture, to: &config.capture),
      Self.copy(configuration.playback, to: &config.playback)
    else {
      throw AudioError(
        code: .noDevice,
        message: "A device name is longer than \(AD_NAME_BYTES - 1) bytes. `voice devices` lists"
          + " the names there are.")
    }
    config.prefill_periods = UInt32(clamping: configuration.prefillPeriods)
    config.hidden_latency_frames = UInt32(clamping: configuration.hiddenLatencyFrames)
    var device: OpaquePointer?
    var sentence = [CChar](repeating: 0, count: 512)
    let result = ad_device_open(
      &device, &config, port.pointer, port.wakeDescriptor, &sentence, sentence.count)
    guard result == 0, let device else {
      throw AudioError(code: .init(openResult: result), message: text(sentence))
    }
    return device
  }

  private static func run(_ device: OpaquePointer) throws(AudioError) {
    let started = ad_device_start(device)
    guard started == 0 else {
      throw AudioError(
        code: .coreFailed,
        message: "The audio thread could not be started (error \(-started)). Raise the limit of"
          + " threads or free some memory.")
    }
  }

  /// Copies a name into a C array. False: it is too long.
  private static func copy<Storage>(_ name: String, to storage: inout Storage) -> Bool {
    withUnsafeMutableBytes(of: &storage) { bytes in
      guard name.utf8.count < bytes.count else { return false }
      bytes.copyBytes(from: name.utf8)
      return true
    }
  }

  private static func close(_ opened: inout Opened) {
    var status = ad_status()
    ad_device_status(opened.device, &status)
    opened.closedXruns += status.xruns
    ad_device_close(opened.device)
    opened.device = nil
  }

  public func stop() {
    opened.withLock { opened in
      if opened.device != nil { Self.close(&opened) }
      recorder.stop()
    }
  }

  public var wakeDescriptor: Int32 { port.wakeDescriptor }

  public func drain(_ body: (VoiceDeviceOutput) -> Void) {
    port.drain(lostReason: { lostReason }, body)
    if let failure = recorder.takeFailure() { body(.recordingEnded(failure)) }
  }

  private var lostReason: String {
    opened.withLock { opened in
      opened.device.map { String(cString: ad_device_lost_reason($0)) } ?? "The device was closed."
    }
  }

  public func receive(_ packet: SpeechPacket) -> Bool { port.receive(packet) }
  public func flush(below generation: UInt32) { port.flush(below: generation) }
  public func setMuted(_ muted: Bool) { port.setMuted(muted) }
  public var playout: PlayoutSnapshot { port.playout }

  public var status: DeviceStatus {
    var raw = ad_status()
    var counters = port.counters
    opened.withLock { opened in
      if let device = opened.device { ad_device_status(device, &raw) }
      counters.xruns = raw.xruns + opened.closedXruns
    }
    let notes = withUnsafeBytes(of: raw.notes) { bytes in
      (0..<Int(raw.note_count)).map { index in
        Self.string(bytes.dropFirst(index * Int(AD_TEXT_BYTES)).prefix(Int(AD_TEXT_BYTES)))
      }
    }
    return DeviceStatus(
      isRunning: raw.running != 0, isMuted: port.isMuted, echo: port.echo,
      capture: withUnsafeBytes(of: raw.capture) { Self.string($0[...]) },
      playback: withUnsafeBytes(of: raw.playback) { Self.string($0[...]) },
      isRealtime: raw.realtime != 0, notes: notes, counters: counters,
      recording: recorder.status)
  }

  private static func string(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}

extension AudioError.Code {
  /// The cause of a failed open.
  fileprivate init(openResult: Int32) {
    switch -openResult {
    case EBUSY: self = .busy
    case EACCES: self = .notPermitted
    case EINVAL: self = .unsupported
    case ENODEV: self = .noDevice
    default: self = .coreFailed
    }
  }
}
