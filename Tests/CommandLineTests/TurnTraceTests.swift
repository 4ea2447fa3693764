import SessionsModel
import Testing

@testable import voice

@Suite struct TurnTraceTests {
  private var turn: TurnReport {
    var turn = TurnReport(turnID: "t1")
    turn.question = "What is \"it\"?"
    turn.legs = [
      "endpoint_ms": 300, "stt_final_ms": 310, "llm_asked_ms": 200, "llm_ttft_ms": 20,
      "answer_ms": 90, "speech_end_to_audio_ms": 390, "output_ms": 60, "v2v_ms": 450,
    ]
    return turn
  }

  @Test func theLegsLieOnOneAxisAndEndWithTheFirstSound() throws {
    let trace = try JSONValue.parse(Array(TurnTrace.trace([turn]).utf8))
    let events = try #require(trace["traceEvents"]?.arrayValue)
    func span(_ name: String) throws -> (start: Double, end: Double) {
      let event = try #require(events.first { $0["name"]?.stringValue == name }, "\(name)")
      let start = try #require(event["ts"]?.doubleValue)
      return (start, start + (try #require(event["dur"]?.doubleValue)))
    }
    let whole = try span("voice to voice")
    let (decision, answer, output) = try (span("end of turn"), span("answer"), span("output"))
    #expect(decision.start == whole.start && output.end == whole.end)
    #expect(decision.end == answer.start && answer.end == output.start)
    #expect(try span("model: first token").start < decision.end, "it was asked ahead")
    #expect(!events.contains { $0["name"] == "voice: first byte" }, "an unmeasured leg is no span")
  }

  @Test func theTableHasOneRowATurn() {
    let rows = TurnTrace.table([turn]).split(separator: "\n")
    #expect(rows.count == 2)
    #expect(rows[0].hasPrefix("turn,endpoint_ms,") && rows[0].hasSuffix(",v2v_ms,question"))
    #expect(rows[1] == "1,300.0,310.0,200.0,20.0,,,,90.0,60.0,450.0,\"What is \"\"it\"\"?\"")
  }
}
