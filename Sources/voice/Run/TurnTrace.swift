import Foundation
import SessionsModel

/// The legs of a conversation's turns as a file other tools read: the Chrome trace format (Perfetto,
/// chrome://tracing), or a table with commas.
enum TurnTrace {
  /// One leg as it lies on the time axis, in milliseconds from the person's last voiced sample.
  private struct Span {
    var name: String
    /// One line of the picture each, because legs overlap when an answer is begun ahead.
    var track: Int
    var start: Double
    var end: Double
  }

  /// Columns of the table.
  private static let columns = [
    "endpoint_ms", "stt_final_ms", "llm_asked_ms", "llm_ttft_ms", "llm_first_sentence_ms",
    "tts_asked_ms", "time_to_first_byte_ms", "answer_ms", "output_ms", "v2v_ms",
  ]

  /// Writes what the name's end asks for: `.csv` a table, anything else a trace.
  ///
  /// - Throws: ``FileFault`` when the file cannot be written.
  static func write(_ turns: [TurnReport], to path: String) throws(FileFault) {
    let text = path.hasSuffix(".csv") ? table(turns) : trace(turns)
    do {
      try Data(text.utf8).write(to: URL(filePath: path))
    } catch {
      throw FileFault("the trace \(path) cannot be written: \(error.localizedDescription)")
    }
  }

  static func trace(_ turns: [TurnReport]) -> String {
    var events: [JSONValue] = []
    for (number, turn) in turns.enumerated() {
      // The end of a turn is reported; its last voiced sample lies before its start by the router.
      let origin = (turn.startedAt?.timeIntervalSince1970 ?? Double(number) * 30) * 1e6
      let zero = origin - (turn.legs["stt_final_ms"] ?? 0) * 1_000
      for span in spans(turn.legs) where span.end > span.start {
        events.append([
          "name": .string(span.name), "ph": "X", "pid": 1, "tid": .int(span.track),
          "ts": .double(zero + span.start * 1_000), "dur": .double((span.end - span.start) * 1_000),
          "args": ["question": .string(turn.question), "turn": .int(number + 1)],
        ])
      }
    }
    return (["traceEvents": .array(events)] as JSONValue).serializedText
  }

  static func table(_ turns: [TurnReport]) -> String {
    let rows = turns.enumerated().map { number, turn in
      let cells = columns.map { turn.legs[$0].map { "\($0)" } ?? "" }
      let question = "\"" + turn.question.replacing("\"", with: "\"\"") + "\""
      return ([String(number + 1)] + cells + [question]).joined(separator: ",")
    }
    return ((["turn"] + columns + ["question"]).joined(separator: ",") + "\n")
      + rows.map { $0 + "\n" }.joined()
  }

  private static func spans(_ legs: [String: Double]) -> [Span] {
    var spans: [Span] = []
    func add(_ name: String, _ track: Int, _ start: Double?, _ end: Double?) {
      if let start, let end { spans.append(Span(name: name, track: track, start: start, end: end)) }
    }
    func sum(_ one: String, _ other: String) -> Double? {
      legs[one].flatMap { first in legs[other].map { first + $0 } }
    }
    add("voice to voice", 1, 0, legs["v2v_ms"])
    add("end of turn", 2, 0, legs["endpoint_ms"])
    add("words", 3, 0, legs["stt_final_ms"])
    add("model: first token", 4, legs["llm_asked_ms"], sum("llm_asked_ms", "llm_ttft_ms"))
    add(
      "model: first clause", 5, legs["llm_asked_ms"], sum("llm_asked_ms", "llm_first_sentence_ms"))
    add("voice: first byte", 6, legs["tts_asked_ms"], sum("tts_asked_ms", "time_to_first_byte_ms"))
    add("answer", 2, legs["endpoint_ms"], sum("endpoint_ms", "answer_ms"))
    add("output", 2, legs["speech_end_to_audio_ms"], legs["v2v_ms"])
    return spans
  }
}
