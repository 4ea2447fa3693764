import CAudioDevice
import CVoiceCore
import Synchronization

/// A device without a clock or a thread: its owner gives it 10 ms of near-end sound at a time.
public final class SimulatedVoiceDevice: VoiceDevice {
  /// What the room heard during one block of 10 ms, 480 samples each.
  public struct Heard: Sendable, Hashable {
    /// At the microphone: the near end and the echo.
    public var microphone: [Float]
    /// At the speaker.
    public var speaker: [Float]
  }

  /// A side of the device.
  public enum Side: Int32, Sendable {
    case playback = 1
    case capture = 2
  }

  /// Samples of one block.
  public static let blockSamples = Int(VC_BLOCK_FRAMES)

  private struct State {
    var isRunning = false
    var lostReason = ""
    var xruns: UInt64 = 0
  }

  private let port: VoicePort
  private let recorder: ConversationRecorder
  private let recording: String?
  /// Reached only inside ``step(nearEnd:)`` and ``loseFrames(_:)``, under the mutex.
  private nonisolated(unsafe) let device: OpaquePointer
  private let state = Mutex(State())

  /// Creates the core and the room around it.
  ///
  /// - Throws: ``AudioError`` of code `coreFailed`, or `unsupported` when the acoustics are out of
  ///   their ranges.
  public init(
    configuration: VoiceDeviceConfiguration = .init(), acoustics: SimulatedAcoustics = .init()
  ) throws(AudioError) {
    let port = try VoicePort(configuration: configuration)
    self.port = port
    recorder = ConversationRecorder(port: port, hasThread: false)
    recording = configuration.recording
    var device: OpaquePointer?
    let result = acoustics.impulseResponse.withUnsafeBufferPointer { taps in
      var config = ad_simulated_config()
      config.playback_frames = UInt32(clamping: acoustics.playbackFrames)
      config.playback_ppm = acoustics.playbackPPM
      config.hidden_latency_frames = UInt32(clamping: acoustics.hiddenLatencyFrames)
      config.reported_latency_frames = UInt32(clamping: configuration.hiddenLatencyFrames)
      config.capture_waiting_frames = UInt32(clamping: acoustics.captureWaitingFrames)
      config.wake_jitter_frames = UInt32(clamping: acoustics.wakeJitterFrames)
      config.report_jitter_frames = UInt32(clamping: acoustics.reportJitterFrames)
      config.report_quantum_frames = UInt32(clamping: acoustics.reportQuantumFrames)
      config.seed = acoustics.seed
      config.echo_delay_frames = UInt32(clamping: acoustics.echoDelayFrames)
      config.echo_gain = acoustics.echoGain
      config.taps = taps.baseAddress
      config.tap_count = taps.count
      return ad_simulated_create(&device, &config, port.pointer)
    }
    guard result == 0, let device else {
      throw AudioError(
        code: .unsupported,
        message: "The simulated device refuses its acoustics (error \(-result)). Keep each value"
          + " within the range that its documentation gives.")
    }
    self.device = device
  }

  deinit {
    ad_simulated_destroy(device)
  }

  /// Lets 10 ms pass. Does nothing (and returns silence) unless started.
  ///
  /// - Parameter nearEnd: 480 samples of the person's voice, or empty for silence.
  @discardableResult
  public func step(nearEnd: [Float] = []) -> Heard {
    precondition(
      nearEnd.isEmpty || nearEnd.count == Self.blockSamples, "A block has 480 samples or none.")
    let silence = [Float](repeating: 0, count: Self.blockSamples)
    var heard = Heard(microphone: silence, speaker: silence)
    state.withLock { state in
      guard state.isRunning else { return }
      let input = nearEnd.isEmpty ? silence : nearEnd
      if ad_simulated_step(device, input, &heard.microphone, &heard.speaker) != 0 {
        ad_wake_signal(port.wakeDescriptor)
      }
      recorder.drain()
    }
    return heard
  }

  /// Loses capture time, as an xrun does: ``VoiceDeviceOutput/xrun`` follows.
  public func loseFrames(_ frames: Int) {
    state.withLock { state in
      guard state.isRunning else { return }
      state.xruns += 1
      ad_simulated_lose_frames(device, UInt32(clamping: frames))
      ad_wake_signal(port.wakeDescriptor)
    }
  }

  /// One side breaks off and begins anew while the other goes on: ``VoiceDeviceOutput/xrun``
  /// follows. Playback loses what it held, capture `frames` of time.
  public func breakOff(_ side: Side, losing frames: Int = 0) {
    state.withLock { state in
      guard state.isRunning else { return }
      state.xruns += 1
      ad_simulated_xrun(device, side.rawValue, UInt32(clamping: frames))
      ad_wake_signal(port.wakeDescriptor)
    }
  }

  /// One side's clock stands still for `frames` of the other's and goes on, unannounced.
  public func pause(_ side: Side, for frames: Int) {
    state.withLock { state in
      guard state.isRunning else { return }
      ad_simulated_pause(device, side.rawValue, UInt32(clamping: frames))
    }
  }

  /// The capture frame at which the next frame that the device takes will be heard: what only the
  /// room knows.
  public var nextHeardFrame: Double {
    state.withLock { _ in
      var truth = ad_simulated_truth()
      ad_simulated_know(device, &truth)
      return truth.next_heard_frame
    }
  }

  /// Takes the device away: ``VoiceDeviceOutput/deviceLost(_:)`` follows.
  public func lose(reason: String) {
    state.withLock { state in
      guard state.isRunning else { return }
      state.isRunning = false
      state.lostReason = reason
      vc_port_device_event(port.pointer, UInt32(VC_EVENT_DEVICE_LOST), 0)
      ad_wake_signal(port.wakeDescriptor)
    }
  }

  /// Whether ``drain(_:)`` has something to hand out.
  public var hasOutput: Bool { port.hasOutput }

  public func start() throws(AudioError) {
    if let recording { try recorder.start(path: recording) }
    state.withLock { $0.isRunning = true }
  }

  public func stop() {
    state.withLock { $0.isRunning = false }
    recorder.stop()
  }

  public var wakeDescriptor: Int32 { port.wakeDescriptor }

  public func drain(_ body: (VoiceDeviceOutput) -> Void) {
    port.drain(lostReason: { _ in state.withLock { $0.lostReason } }, body)
    if let failure = recorder.takeFailure() { body(.recordingEnded(failure)) }
  }

  public func receive(_ packet: SpeechPacket) -> Bool { port.receive(packet) }
  public func flush(below generation: UInt32) { port.flush(below: generation) }
  public func release() { port.release() }
  public func setMuted(_ muted: Bool) { port.setMuted(muted) }
  public var playout: PlayoutSnapshot { port.playout }

  public var status: DeviceStatus {
    let (isRunning, xruns) = state.withLock { ($0.isRunning, $0.xruns) }
    var counters = port.counters
    counters.xruns = xruns
    return DeviceStatus(
      isRunning: isRunning, isMuted: port.isMuted, echo: port.echo, capture: "simulated",
      playback: "simulated", isRealtime: false, notes: [], counters: counters,
      recording: recorder.status)
  }
}
