/// What was seen of the sound of this machine: the facts that ``SoundDiagnosis`` judges.
public struct SoundFacts: Sendable, Equatable {
  /// What the microphone delivered, block by block of 10 ms.
  public struct Microphone: Sendable, Equatable {
    public var frames = 0
    /// The longest run of samples that were exactly zero.
    public var longestZeroRun = 0
    /// Samples at full scale.
    public var clippedFrames = 0
    /// Root mean square of the quietest tenth of the blocks, full scale is 1.
    public var floor = 0.0
    /// Largest sample, full scale is 1.
    public var peak = 0.0
    /// Mean of all samples, full scale is 1.
    public var offset = 0.0

    public init() {}
  }

  /// A card's knobs, judged.
  public struct Mixer: Sendable, Equatable {
    public var card: String
    public var findings: [MixerJudgement.Finding]
    public var elements: Int
    /// Why they could not be read.
    public var failure: String?

    public init(
      card: String, findings: [MixerJudgement.Finding], elements: Int, failure: String? = nil
    ) {
      self.card = card
      self.findings = findings
      self.elements = elements
      self.failure = failure
    }
  }

  public var cards = 0
  public var forbiddenCards = 0
  /// Why the device could not be opened.
  public var openFailure: AudioError?
  /// Why it was lost while it was listened to.
  public var lost: String?
  public var capture = ""
  public var playback = ""
  public var refusals: [PCMRefusal] = []
  /// How long it was listened to, in milliseconds, and the blocks of 10 ms that came.
  public var milliseconds = 0
  public var blocks = 0
  public var xruns = 0
  /// Restarts because nothing moved although the device said that it runs.
  public var stuck = 0
  public var isMuted = false
  public var microphone = Microphone()
  public var mixers: [Mixer] = []
  public var isRealtimePermitted = false
  /// The error with which locking the audio thread's memory was refused; 0 when it was not.
  public var memoryLockError: Int32 = 0
  /// The drift between the two clocks in millionths; `nil` while it is not known.
  public var driftPPM: Double?
  /// The latency that the device does not report, as the echo told it now; `nil` while it did not.
  public var hiddenLatencyMilliseconds: Double?
  /// The same as an earlier conversation found it, or as it was given; `nil` when nobody knows.
  public var keptLatencyMilliseconds: Double?

  /// Whether the microphone hears the speaker; `nil` when no test sound was played.
  public var isEchoHeard: Bool?

  public init() {}
}
