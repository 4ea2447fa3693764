import CAudioDevice
import CVoiceCore
import Glibc
import Synchronization

/// The live device: ALSA, one audio thread, the voice core.
public final class VoiceEngine: VoiceDevice {
  /// The open ALSA device, and what it said last.
  private struct Opened {
    /// `@unchecked Sendable` in effect: only reached under the mutex.
    nonisolated(unsafe) var device: OpaquePointer?
    /// Counted by the devices that were closed.
    var closed = DeviceCounters()
    /// Since when one side has been gone while the other goes on.
    var partlySince: ContinuousClock.Instant?
    /// Why the first start found no device.
    var missing: String?
    var choice: DeviceChoice
    /// Sentences about kept levels that could not be set.
    var mixerNotes: [String] = []
    /// When the device that ran last was closed; `nil` while one runs.
    var closedAt: ContinuousClock.Instant?
  }

  /// How long only the hardware that was lost is looked for; then whatever the configuration names
  /// may take its place, so that a kiosk whose speakerphone was exchanged works again.
  static let replacementPatience = Duration.seconds(10)

  private let configuration: VoiceDeviceConfiguration
  let port: VoicePort
  private let recorder: ConversationRecorder
  private let system: SoundSystem
  private let opened: Mutex<Opened>

  /// Creates the core; the device is opened by ``start()``.
  ///
  /// - Parameter system: where the sound cards are listed.
  /// - Throws: ``AudioError`` of code `coreFailed`.
  public init(
    configuration: VoiceDeviceConfiguration = .init(), system: SoundSystem = .machine
  ) throws(AudioError) {
    self.configuration = configuration
    self.system = system
    opened = Mutex(
      Opened(
        choice: DeviceChoice(capture: configuration.capture, playback: configuration.playback)))
    let port = try VoicePort(configuration: configuration)
    if configuration.muteSwitch?.isOn == true { port.setMuted(true) }
    self.port = port
    self.recorder = ConversationRecorder(port: port, hasThread: true)
  }

  deinit {
    stop()
  }

  /// Opens the device: at the first start what the configuration names, later the very hardware that
  /// was open before, wherever it is plugged in now. The core's timeline goes on where it was.
  public func start() throws(AudioError) {
    let failure: AudioError? = opened.withLock { opened in
      if let device = opened.device, Self.isPartlyGone(device) {
        do throws(AudioError) {
          try takeBack(device, &opened)
          return nil
        } catch {
          return error
        }
      }
      if opened.device != nil {
        keepLatency(of: opened.choice)
        Self.close(&opened)
      }
      do throws(AudioError) {
        // Recorded from the first block on, yet no file is made for a device that cannot be opened.
        // Somebody may have muted while there was no device; nothing but a local act opens it.
        if configuration.muteSwitch?.isOn == true { port.setMuted(true) }
        let cards = system.cards()
        let away = opened.closedAt.map { ContinuousClock.now - $0 } ?? .zero
        let names = try opened.choice.names(
          cards: cards, mayReplace: away >= Self.replacementPatience)
        let device = try open(names, cards: cards)
        opened.device = device
        opened.choice.opened(Self.names(of: device), cards: cards)
        opened.mixerNotes = setLevels(of: opened.choice.identities)
        if let path = configuration.recording { try recorder.start(path: path) }
        try Self.run(device)
        opened.closedAt = nil
        opened.missing = nil
        return nil
      } catch {
        if opened.device != nil { Self.close(&opened) }
        recorder.stop()
        return error
      }
    }
    if let failure { throw failure }
  }

  /// Whether sound flows on one side only.
  private static func isPartlyGone(_ device: OpaquePointer) -> Bool {
    var status = ad_status()
    ad_device_status(device, &status)
    return status.running != 0 && (status.microphone.is_gone != 0 || status.speaker.is_gone != 0)
  }

  /// Opens the side that is gone: the very hardware, under whatever name it has now.
  private func takeBack(_ device: OpaquePointer, _ opened: inout Opened) throws(AudioError) {
    keepLatency(of: opened.choice)
    // First, so that its card is free to come back under its name.
    ad_device_let_go(device)
    let since = opened.partlySince ?? .now
    opened.partlySince = since
    let cards = system.cards()
    let names = try opened.choice.names(
      cards: cards, mayReplace: .now - since >= Self.replacementPatience)
    var config = try makeConfig(names, cards: cards)
    var sentence = [CChar](repeating: 0, count: 512)
    let result = ad_device_take_back(device, &config, &sentence, sentence.count)
    guard result == 0 else {
      throw AudioError(code: .init(openResult: result), message: text(sentence))
    }
    opened.partlySince = nil
    opened.choice.opened(Self.names(of: device), cards: cards)
    opened.mixerNotes = setLevels(of: opened.choice.identities)
  }

  /// Starts the device; where it is missing or busy and the configuration says so, it is waited for
  /// instead: ``missing`` says what for.
  public func startOrWait() throws(AudioError) {
    do throws(AudioError) {
      try start()
    } catch  where configuration.waitsForDevice && (error.code == .noDevice || error.code == .busy)
    {
      opened.withLock { $0.missing = "\(error.message) It is waited for." }
    }
  }

  public var missing: String? { opened.withLock { $0.missing } }

  private func makeConfig(
    _ names: DeviceChoice.Names, cards: [AudioCard]
  ) throws(AudioError) -> ad_config {
    var config = ad_config()
    guard copyName(names.capture, to: &config.capture),
      copyName(names.playback, to: &config.playback)
    else {
      throw AudioError(
        code: .noDevice,
        message: "A device name is longer than \(AD_NAME_BYTES - 1) bytes. `voice devices` lists"
          + " the names there are.")
    }
    config.prefill_periods = UInt32(clamping: configuration.prefillPeriods)
    let speaker = CardPCM(names.playback)?.find(in: cards)?.identity
    let kept = speaker.flatMap { configuration.keptLatency?.frames(of: $0) } ?? 0
    config.hidden_latency_frames = UInt32(
      clamping: configuration.hiddenLatencyFrames > 0 ? configuration.hiddenLatencyFrames : kept)
    config.speaker = speaker?.number ?? 0
    config.microphone_channel = UInt32(clamping: configuration.microphoneChannel)
    config.reference_channel = UInt32(clamping: configuration.referenceChannel)
    config.goes_on_alone = 1
    config.is_untimed = configuration.isUntimed ? 1 : 0
    return config
  }

  private func open(
    _ names: DeviceChoice.Names, cards: [AudioCard]
  ) throws(AudioError) -> OpaquePointer {
    var config = try makeConfig(names, cards: cards)
    var device: OpaquePointer?
    var sentence = [CChar](repeating: 0, count: 512)
    let result = ad_device_open(
      &device, &config, port.pointer, port.wakeDescriptor, &sentence, sentence.count)
    guard result == 0, let device else {
      throw AudioError(code: .init(openResult: result), message: text(sentence))
    }
    return device
  }

  /// Sets the knobs of the open cards as they are kept.
  private func setLevels(of cards: [CardIdentity]) -> [String] {
    guard let kept = configuration.keptLevels else { return [] }
    return cards.flatMap { card -> [String] in
      do throws(AudioError) {
        guard try !kept.changes(of: card).isEmpty else { return [] }
        return kept.apply(to: try CardMixer(card: card.cardID), of: card)
      } catch {
        return [error.message]
      }
    }
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

  /// What was opened, as the device describes it.
  private static func names(of device: OpaquePointer) -> DeviceChoice.Names {
    var status = ad_status()
    ad_device_status(device, &status)
    return DeviceChoice.Names(
      capture: withUnsafeBytes(of: status.capture) { string($0[...]) },
      playback: withUnsafeBytes(of: status.playback) { string($0[...]) })
  }

  private static func close(_ opened: inout Opened) {
    var status = ad_status()
    ad_device_status(opened.device, &status)
    opened.closed.add(status)
    opened.partlySince = nil
    if opened.closedAt == nil { opened.closedAt = .now }
    ad_device_close(opened.device)
    opened.device = nil
  }

  public func stop() {
    opened.withLock { opened in
      if opened.device != nil {
        keepLatency(of: opened.choice)
        Self.close(&opened)
      }
      recorder.stop()
    }
  }

  /// Keeps what the echo told of the speaker's hidden latency.
  private func keepLatency(of choice: DeviceChoice) {
    let playout = port.playout
    guard playout.isHiddenLatencyFound, let kept = configuration.keptLatency,
      let speaker = choice.knownPlayback?.identity
    else { return }
    // A disk that refuses costs the next conversation's first seconds of accuracy, no more.
    try? kept.keep(playout.hiddenLatencyFrames, of: speaker)
  }

  public var wakeDescriptor: Int32 { port.wakeDescriptor }

  public func drain(_ body: (VoiceDeviceOutput) -> Void) {
    port.drain(lostReason: { lostReason(of: $0) }, body)
    if let failure = recorder.takeFailure() { body(.recordingEnded(failure)) }
  }

  private func lostReason(of kind: Int) -> String {
    opened.withLock { opened in
      guard let device = opened.device else { return "The device was closed." }
      switch kind {
      case VC_EVENT_SPEAKER_LOST:
        return String(cString: ad_device_gone_reason(device, 0)) + " The microphone goes on."
      case VC_EVENT_MICROPHONE_LOST:
        return String(cString: ad_device_gone_reason(device, 1)) + " The speaker goes on."
      default: return String(cString: ad_device_lost_reason(device))
      }
    }
  }

  public func receive(_ packet: SpeechPacket) -> Bool { port.receive(packet) }
  public func flush(below generation: UInt32) { port.flush(below: generation) }
  public func release() { port.release() }
  public func setMuted(_ muted: Bool) { port.setMuted(muted) }
  public var playout: PlayoutSnapshot { port.playout }

  public var status: DeviceStatus {
    var raw = ad_status()
    var counters = port.counters
    let mixerNotes = opened.withLock { opened in
      if let device = opened.device { ad_device_status(device, &raw) }
      counters.add(opened.closed)
      counters.add(raw)
      return opened.mixerNotes
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
      isRealtime: raw.realtime != 0, notes: notes + mixerNotes, counters: counters,
      recording: recorder.status)
  }

  /// The cards that are open, as they are called now.
  var openCards: [CardIdentity] { opened.withLock { $0.choice.identities } }

  /// Writes down what the device and the core know of themselves.
  func report(into facts: inout SoundFacts) {
    var raw = ad_status()
    opened.withLock { opened in
      if let device = opened.device { ad_device_status(device, &raw) }
    }
    facts.capture = cText(raw.capture)
    facts.playback = cText(raw.playback)
    facts.refusals = PCMRefusal.all(of: raw)
    facts.stuck = Int(raw.stuck)
    facts.memoryLockError = raw.memory_lock_error
    facts.isMuted = port.isMuted
    let playout = port.playout
    facts.driftPPM = playout.isDriftLocked ? playout.driftPPM : nil
    facts.hiddenLatencyMilliseconds =
      playout.isHiddenLatencyFound ? Double(playout.hiddenLatencyFrames) / 48 : nil
    facts.keptLatencyMilliseconds =
      playout.hiddenLatencyFrames > 0 ? Double(playout.hiddenLatencyFrames) / 48 : nil
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
