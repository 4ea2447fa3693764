/// What is told about one turn of a conversation: the words and how long each step took.
///
/// Times are milliseconds; nil is "not measured", never 0 (contract part 2, timings). All but
/// `timeToFirstByte` count from the last voiced sample of the person.
struct TurnReport {
  var turnID: String
  var question = ""
  var answer = ""
  var endpoint: Double?
  var speechToText: Double?
  var firstToken: Double?
  var timeToFirstByte: Double?
  var voiceToVoice: Double?
  /// The reply came from the model; a spoken fallback line is not an answer.
  var answeredByModel = false
  /// The reply was heard to its end.
  var heardOut = false

  init(turnID: String) {
    self.turnID = turnID
  }

  /// One line of timings, as printed after the turn.
  var line: String {
    func text(_ name: String, _ value: Double?) -> String {
      "\(name) " + (value.map { "\(Int($0.rounded())) ms" } ?? "not measured")
    }
    return [
      text("endpoint", endpoint), text("speech-to-text", speechToText),
      text("first token", firstToken), text("time_to_first_byte", timeToFirstByte),
      text("voice-to-voice", voiceToVoice),
    ].joined(separator: " · ")
  }
}
