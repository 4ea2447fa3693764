import Foundation

/// What is told about one turn of a conversation: the words and how long each step took.
///
/// Times are milliseconds; nil is "not measured", never 0 (contract part 2, timings). `endpoint`,
/// `speechToText`, `sent` and `voiceToVoice` count from the last voiced sample of the person, the
/// others from the request to the model or the voice.
struct TurnReport {
  /// When the router began the turn.
  var startedAt: Date?
  /// All timings of the `turn` frame, by their names on the wire.
  var legs: [String: Double] = [:]
  var turnID: String
  var question = ""
  var answer = ""
  var endpoint: Double?
  var speechToText: Double?
  var firstToken: Double?
  /// From asking the model to its first sentence.
  var firstSentence: Double?
  var timeToFirstByte: Double?
  /// When the first audible sample went to the device.
  var sent: Double?
  var voiceToVoice: Double?
  /// The reply came from the model; a spoken fallback line is not an answer.
  var answeredByModel = false
  /// Nobody asked: the router itself had something to say.
  var isSaid = false
  /// The reply was heard to its end.
  var heardOut = false

  /// Somebody asked; a greeting is a turn of the agent alone.
  var wasAsked: Bool { !question.isEmpty }

  init(turnID: String) {
    self.turnID = turnID
  }

  /// One line of timings in milliseconds, as printed after the turn.
  var line: String {
    func text(_ name: String, _ value: Double?) -> String {
      "\(name) " + (value.map { "\(Int($0.rounded()))" } ?? "-")
    }
    return [
      text("voice-to-voice", voiceToVoice) + " ms", text("endpoint", endpoint),
      text("stt", speechToText), text("first token", firstToken),
      text("time_to_first_byte_ms", timeToFirstByte),
    ].joined(separator: " · ")
  }
}
