import SessionsModel
import VisionAgentsCore

/// One JSON object a line on standard output, for programs and logs.
@MainActor
final class JSONPresenter: Presenter {
  private var lastState: AIVoiceAgentState?

  func status(_ state: AIVoiceAgentState, microphone: Float, speaker: Float) {
    // Levels change ten times a second; a program wants the changes of state.
    guard state != lastState else { return }
    lastState = state
    emit(["event": "state", "state": .string("\(state)")])
  }

  func caption(_ side: Side, _ text: String, isFinal: Bool) {
    guard isFinal else { return }
    emit(["event": "caption", "side": .string(side.rawValue), "text": .string(text)])
  }

  func turn(_ report: TurnReport) {
    emit(Self.object(report, event: "turn"))
  }

  func notice(_ sentence: String) {
    emit(["event": "notice", "text": .string(sentence)])
  }

  func problem(_ sentence: String) {
    emit(["event": "problem", "text": .string(sentence)])
  }

  func summary(_ summary: RunSummary) {
    emit([
      "event": "summary",
      "turns": .array(summary.turns.map { .object(Self.object($0, event: "turn")) }),
      "recording": summary.recording.map { .string($0) } ?? .null,
      "transcript": summary.transcript.map { .string($0) } ?? .null,
      "verdict": .string(summary.verdict),
      "exit_code": .int(Int(summary.exitCode)),
    ])
  }

  private static func object(_ report: TurnReport, event: String) -> [String: JSONValue] {
    func number(_ value: Double?) -> JSONValue { value.map { .double($0) } ?? .null }
    return [
      "event": .string(event), "turn_id": .string(report.turnID),
      "question": .string(report.question), "answer": .string(report.answer),
      "endpoint_ms": number(report.endpoint), "stt_final_ms": number(report.speechToText),
      "llm_asked_ms": number(report.legs["llm_asked_ms"]),
      "llm_ttft_ms": number(report.firstToken),
      "llm_first_sentence_ms": number(report.firstSentence),
      "tts_asked_ms": number(report.legs["tts_asked_ms"]),
      "time_to_first_byte_ms": number(report.timeToFirstByte),
      "time_to_first_audio_ms": number(report.legs["time_to_first_audio_ms"]),
      "speech_end_to_audio_ms": number(report.sent),
      "v2v_ms": number(report.voiceToVoice), "answered_by_model": .bool(report.answeredByModel),
      "heard_out": .bool(report.heardOut),
    ]
  }

  private func emit(_ fields: [String: JSONValue]) {
    StandardOutput.line(JSONValue.object(fields).serializedText)
  }
}
