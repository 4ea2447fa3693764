public import AgentRouter
public import Networking
public import VoiceEngine

/// What a simulated world is made of; the defaults are a conversation without trouble.
public struct WorldSettings: Sendable {
  /// What the recogniser hears, one utterance after the other.
  public var lines = [
    "What is the capital of France?", "How many days has a week?", "Who wrote Hamlet?",
  ]
  /// From the person's words to the reply.
  public var answers = [
    "What is the capital of France?": "The capital of France is Paris.",
    "How many days has a week?": "A week has seven days.",
    "Who wrote Hamlet?": "William Shakespeare wrote Hamlet.",
  ]
  /// Whether the recogniser hears "long" and "short" by the sound, instead of its next line.
  public var hearsStretches = false
  /// Who tells when the person is done; nil leaves it to the silence.
  public var endOfTurn: EndOfTurn?

  public enum EndOfTurn: Sendable {
    /// Knows what the person is going to say.
    case knows
    /// Takes every pause for the end: a negative control.
    case alwaysSure
  }

  /// From the end of an utterance to its words.
  public var recogniserDelay = Duration.milliseconds(120)
  /// From the request to the model's first word, and from word to word.
  public var modelDelay = Duration.milliseconds(60)
  public var modelDelayPerWord = Duration.milliseconds(8)
  /// From the request to the voice's first sample.
  public var voiceDelay = Duration.milliseconds(15)
  /// Whether the voice says where its words end.
  public var voiceTellsWords = true
  /// Whether the room keeps a recording of its speaker.
  public var isRoomRecorded = false
  public var recogniserFaults = FaultPlan()
  public var modelFaults = FaultPlan()
  public var voiceFaults = FaultPlan()
  /// What a model that hears and speaks itself answers; nil leaves it to the usual three.
  public var nativeAnswer: String?
  /// Whether that model gives its words and no sound.
  public var nativeIsMute = false
  /// Whether another model and another voice stand in for those that fail.
  public var hasSpares = false
  /// From the end of a turn until something is said, in milliseconds.
  public var answerBudgetMilliseconds = 3_000
  /// Silence that ends a turn, in milliseconds.
  public var silenceMilliseconds = 500
  public var greeting: String?
  public var device = VoiceDeviceConfiguration()
  public var acoustics = SimulatedAcoustics()
  /// Of the device's network.
  public var link = LinkConditions()
  /// Changes the router's configuration.
  public var configure: @Sendable (inout RouterConfiguration) -> Void = { _ in }
  /// Silero weights for both ends; nil judges speech by energy.
  public var detectorWeights: String?

  public init() {}
}
