public import SessionsModel

/// What a `voice run --json` said, line by line.
public struct SpokenRun: Sendable {
  /// One turn as the run reported it.
  public struct Turn: Sendable {
    public var question: String
    public var answer: String
    public var answeredByModel: Bool
    /// The timings of the turn by name, in milliseconds; without those that were not measured.
    public var milliseconds: [String: Double]
  }

  public let exitCode: Int32
  public let events: [JSONValue]
  public let errors: String

  public init(_ ending: VoiceProcess.Ending) {
    exitCode = ending.exitCode
    errors = ending.errors
    // A line that is no JSON is no event; the tests of the program look at those.
    events = ending.output.compactMap { try? JSONValue.parse(Array($0.utf8)) }
  }

  /// Events of one kind, in order.
  public func events(_ name: String) -> [JSONValue] {
    events.filter { $0["event"]?.stringValue == name }
  }

  /// The states in the order they were shown.
  public var states: [String] { events("state").compactMap { $0["state"]?.stringValue } }

  /// Final captions of the person: what was heard.
  public var heard: [String] {
    events("caption").filter { $0["side"]?.stringValue == "person" }
      .compactMap { $0["text"]?.stringValue }
  }

  public var problems: [String] { events("problem").compactMap { $0["text"]?.stringValue } }

  public var notices: [String] { events("notice").compactMap { $0["text"]?.stringValue } }

  public var verdict: String { events("summary").last?["verdict"]?.stringValue ?? "" }

  /// The turns of the summary.
  public var turns: [Turn] {
    (events("summary").last?["turns"]?.arrayValue ?? []).map { turn in
      let fields = turn.objectValue ?? [:]
      return Turn(
        question: turn["question"]?.stringValue ?? "", answer: turn["answer"]?.stringValue ?? "",
        answeredByModel: turn["answered_by_model"]?.boolValue ?? false,
        milliseconds: fields.compactMapValues { $0.doubleValue })
    }
  }
}
