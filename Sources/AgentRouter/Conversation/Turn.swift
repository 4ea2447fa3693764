import Networking
import SessionsModel
import Stores

/// One turn on its way: what is to be answered or said.
struct Turn: Sendable, Equatable {
  var id: String
  var requestID: String
  var origin: TurnRecord.Origin
  /// Its client follows it as a command.
  var isCommand = false
  /// What the user said, or the words of a `say`.
  var text: String
  /// Pictures and films as they were sent, for the record.
  var attachments: JSONValue?
  /// Pictures that go with it, as URLs.
  var images: [String] = []
  /// What the person was heard to say, mono PCM16 at 16 kHz, for a model that hears itself.
  var sound: [Int16] = []
  /// `auto`, `none`, `required` or a tool's name; nil leaves it to the agent.
  var toolChoice: String?
  /// Words that are neither stored nor remembered, such as an apology for a failure.
  var isUnrecorded = false
  /// Only fills a silence while words are still being found: heard, and shown to nobody.
  var isFiller = false
  /// Since when nobody has heard anything, if not since the end of what was said.
  var quietSince: MonotonicInstant?
  /// What was measured before the turn began.
  var timings = TurnTimings()
}

/// Why a turn could not be answered.
struct TurnFailure: Sendable, Equatable {
  /// The `context` of the `error` frame.
  enum Context: String, Sendable {
    case recogniser = "stt"
    case model = "llm"
    case voice = "tts"
    case tool
    case store
  }

  var context: Context
  /// For people: what happened and what to do.
  var sentence: String

  init(_ context: Context, _ sentence: String) {
    self.context = context
    self.sentence = sentence
  }
}
