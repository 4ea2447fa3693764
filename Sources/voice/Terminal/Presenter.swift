import VisionAgentsCore

/// How a conversation is shown: a live terminal, or JSON lines for a program.
@MainActor
protocol Presenter: AnyObject {
  /// The agent's state and both levels, 0 to 1.
  func status(_ state: AIVoiceAgentState, microphone: Float, speaker: Float)
  /// Words of one side, provisional until final.
  func caption(_ side: Side, _ text: String, isFinal: Bool)
  /// The timings of a finished turn.
  func turn(_ report: TurnReport)
  /// Something the person should know.
  func notice(_ sentence: String)
  /// Something went wrong; the conversation may go on.
  func problem(_ sentence: String)
  /// The end: all turns and where things were written.
  func summary(_ summary: RunSummary)
}

/// Who said it.
enum Side: String {
  case person
  case agent
}

/// What a run leaves behind.
struct RunSummary {
  var turns: [TurnReport]
  var recording: String?
  var transcript: String?
  /// The sentence that says how it went.
  var verdict: String
  var exitCode: Int32
}
