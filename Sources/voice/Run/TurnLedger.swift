import SessionsModel
import VisionAgentsCore

/// Collects the events of a conversation into one report a turn.
///
/// A value: events in, what is new to show out.
struct TurnLedger {
  /// Something worth showing at once.
  enum Change: Equatable {
    case heard(String, isFinal: Bool)
    case answering(String, isFinal: Bool)
    case timings(turnID: String)
    case problem(String)
  }

  /// False when a fixed line stands for the model: then nothing said is the model's.
  let hasModel: Bool
  private(set) var turns: [TurnReport] = []
  private var lastHeard = ""
  /// Errors the router reported, in order.
  private(set) var problems: [String] = []

  init(hasModel: Bool) {
    self.hasModel = hasModel
  }

  /// Takes one event of the session.
  mutating func take(_ event: AgentEvent) -> [Change] {
    switch event.kind {
    case .hearing:
      return [.heard(event.text, isFinal: false)]
    case .heard:
      lastHeard = event.text
      return [.heard(event.text, isFinal: true)]
    case .responding:
      let index = place(of: event.turnID)
      // Without a prompt it is the agent's own saying: a greeting, or an apology for what it missed.
      turns[index].isSaid = event.fields["prompt"]?.stringValue?.isEmpty == true
      guard !turns[index].isSaid else { return [] }
      if turns[index].question.isEmpty { turns[index].question = lastHeard }
      lastHeard = ""
      return []
    case .responseDelta:
      let index = place(of: event.turnID)
      turns[index].answer += event.text
      return [.answering(turns[index].answer, isFinal: false)]
    case .responded:
      let index = place(of: event.turnID)
      if !event.text.isEmpty {
        turns[index].answer = event.text
        turns[index].answeredByModel = hasModel && !turns[index].isSaid
      }
      return [.answering(turns[index].answer, isFinal: true)]
    case .turn:
      measure(event)
      return [.timings(turnID: event.turnID)]
    case .heardOut:
      turns[place(of: event.turnID)].heardOut = true
      return []
    case .error:
      let context = event.fields["context"]?.stringValue ?? "router"
      let sentence = event.fields["error"]?.stringValue ?? "unknown"
      problems.append("\(context): \(sentence)")
      return [.problem("\(context): \(sentence)")]
    default:
      return []
    }
  }

  /// The report of a turn, nil when nothing was said of it.
  subscript(turnID: String) -> TurnReport? {
    turns.first { $0.turnID == turnID }
  }

  private mutating func measure(_ event: AgentEvent) {
    let index = place(of: event.turnID)
    func number(_ name: String) -> Double? { event.fields[name]?.doubleValue }
    turns[index].legs = event.fields.compactMapValues(\.doubleValue)
    turns[index].startedAt = event.fields["started_at"]?.stringValue.flatMap(RFC3339.date(from:))
    turns[index].endpoint = number("endpoint_ms")
    turns[index].speechToText = number("stt_final_ms")
    turns[index].firstToken = number("llm_ttft_ms")
    turns[index].firstSentence = number("llm_first_sentence_ms")
    turns[index].timeToFirstByte = number("time_to_first_byte_ms")
    turns[index].sent = number("speech_end_to_audio_ms")
    turns[index].voiceToVoice = number("v2v_ms")
  }

  private mutating func place(of turnID: String) -> Int {
    if let index = turns.firstIndex(where: { $0.turnID == turnID }) { return index }
    turns.append(TurnReport(turnID: turnID))
    return turns.count - 1
  }
}
