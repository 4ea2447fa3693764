import Glibc

/// How a device is opened and how the core behaves.
public struct VoiceDeviceConfiguration: Sendable, Hashable {
  /// ALSA name of the microphone; `auto` takes the first card with both directions.
  public var capture: String = "auto"
  /// ALSA name of the speaker; `auto` takes the first card with both directions.
  public var playback: String = "auto"
  /// The channel of the microphone that is heard, from 1; 0 takes the mean of all.
  public var microphoneChannel: Int = 0
  /// The channel of the microphone's device that carries what the speaker plays, wired back, from 1;
  /// 0 when there is none. The canceller uses it once it has proved to be one.
  public var referenceChannel: Int = 0
  /// Whether a device that is missing or busy at the first start is waited for, as one that was lost.
  public var waitsForDevice: Bool = false
  /// Periods of silence written before the start: the playback latency in steps of 10 ms.
  public var prefillPeriods: Int = 3
  /// Whether echo is cancelled against what was played.
  public var cancelsEcho: Bool = true
  /// Whether steady noise is suppressed, at the lowest level.
  ///
  /// Off: every suppressor that was measured lowered the intelligibility of good speech, and what
  /// goes up is for a recogniser. For calls among people it may be on.
  public var suppressesNoise: Bool = false
  /// When a person can speak over the agent. Half until the canceller holds its bars: in one
  /// simulated world the agent answered the echo of its own reply in 14 of 60 turns.
  public var duplex: Duplex = .half
  /// The file of the speech detector's weights (`silero_vad_16k.safetensors`); `nil` judges by
  /// energy.
  public var detectorWeights: String?
  /// Frames of latency that the device hides from its driver, at 48 kHz.
  public var hiddenLatencyFrames: Int = 0
  /// Whether that latency is looked for by the echo of the agent's voice. From 20 to 500 ms it then
  /// corrects the playout clock; where there is no echo, or an early one, nothing changes.
  public var findsHiddenLatency: Bool = true
  /// The WAV file that the conversation is recorded into (left: microphone, right: speaker as heard),
  /// made when the device starts; `nil` records nothing. A file that is there already is kept: the
  /// recording's name gets a number.
  public var recording: String?
  /// Whether the microphone starts muted.
  public var isMuted: Bool = false
  /// Where the levels of each card are kept; they are set whenever it is opened. `nil` sets none.
  public var keptLevels: KeptLevels?
  /// Where the latency is kept that each device hides, when ``hiddenLatencyFrames`` is 0.
  public var keptLatency: KeptLatency?
  /// Where a mute is kept; read before the microphone opens. `nil` keeps none.
  public var muteSwitch: MuteSwitch?

  /// When a person can speak over the agent.
  public enum Duplex: Sendable, Hashable {
    /// From when the canceller has shown for 3 s of the agent's speech that nothing of it passes for a
    /// person's, until it fails. Before and after that it is ``half``.
    case automatic
    /// Never: silence is sent while the agent is heard.
    case half
    /// Always: for headsets.
    case full
  }

  /// Whether the device's clock is moved by hand, so that it must not be held against the time.
  var isUntimed = false

  /// The files that there are of the recording: several after a device was lost and opened anew.
  /// Blocks for the disk.
  public var recordingParts: [String] {
    guard let recording else { return [] }
    return (1...RecordingFile.partLimit).map { RecordingFile.path(ofPart: $0, of: recording) }
      .filter { access($0, F_OK) == 0 }
  }

  public init() {}
}
