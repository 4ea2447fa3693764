/// What a device is doing, for a status line, `voice devices` and a report of a fault.
public struct DeviceStatus: Sendable, Hashable {
  /// How the agent is kept from hearing itself.
  public enum Echo: String, Sendable, Hashable {
    /// The canceller alone; the person may speak at any time.
    case cancelling
    /// Silence is sent while the agent is heard.
    case halfDuplex = "half_duplex"
    /// Nothing: for tests and headsets.
    case off
  }

  /// Whether sound flows.
  public var isRunning: Bool
  /// Whether the microphone is muted in the core.
  public var isMuted: Bool
  /// How the agent is kept from hearing itself.
  public var echo: Echo
  /// The open capture PCM and its format, e.g. `hw:CARD=Device,DEV=0 S16_LE 48000 Hz 1 ch`.
  public var capture: String
  /// The open playback PCM and its format.
  public var playback: String
  /// Whether the audio thread runs under SCHED_FIFO.
  public var isRealtime: Bool
  /// What a person should know: a refused permission, a sound server used instead of the card.
  public var notes: [String]
  /// Counters since creation.
  public var counters: DeviceCounters
  /// The recording; `nil` when none is made.
  public var recording: RecordingStatus?

  public init(
    isRunning: Bool, isMuted: Bool, echo: Echo, capture: String, playback: String,
    isRealtime: Bool, notes: [String], counters: DeviceCounters,
    recording: RecordingStatus? = nil
  ) {
    self.isRunning = isRunning
    self.isMuted = isMuted
    self.echo = echo
    self.capture = capture
    self.playback = playback
    self.isRealtime = isRealtime
    self.notes = notes
    self.counters = counters
    self.recording = recording
  }
}
