import Networking
import SessionsModel
import Testing

@testable import AgentRouter

@Suite struct TurnTimingsTests {
  private func instant(_ milliseconds: Int64) -> MonotonicInstant {
    MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
  }

  @Test func legsAddUpFromTheLastVoicedSample() {
    var timings = TurnTimings()
    timings.lastVoiced = 16_000
    timings.decided = 24_000
    timings.decidedAt = instant(5_000)
    timings.transcribedAt = instant(5_080)
    timings.modelAskedAt = instant(5_080)
    timings.firstTokenAt = instant(5_120)
    timings.firstPieceAt = instant(5_160)
    timings.voiceAskedAt = instant(5_160)
    timings.firstSpeechAt = instant(5_175)
    timings.leadingSilence = .milliseconds(20)
    timings.firstAudioSentAt = instant(5_180)
    timings.heardAt = UInt32(16_000 * 3 + 48 * 740)
    let fields = timings.fields
    #expect(fields["endpoint_ms"] == .double(500))
    #expect(fields["stt_final_ms"] == .double(580))
    #expect(fields["llm_ttft_ms"] == .double(40))
    #expect(fields["llm_first_sentence_ms"] == .double(80))
    #expect(fields["time_to_first_byte_ms"] == .double(15))
    #expect(fields["time_to_first_audio_ms"] == .double(35))
    #expect(fields["roundtrip_ms"] == .double(100))
    #expect(fields["speech_end_to_audio_ms"] == .double(680))
    #expect(fields["v2v_ms"] == .double(740))
    let parts = ["endpoint_ms", "answer_ms", "output_ms"].compactMap { fields[$0]?.doubleValue }
    #expect(parts == [500, 180, 60] && parts.reduce(0, +) == 740)
    #expect(fields["llm_asked_ms"] == .double(580))
  }

  @Test func anUnmeasuredLegIsNullAndNeverZero() {
    #expect(TurnTimings().fields.values.allSatisfy { $0 == .null })
  }

  @Test func theCaptureTimestampMayWrap() {
    var timings = TurnTimings()
    let end = (UInt64(1) << 32) / 3
    timings.lastVoiced = end
    timings.heardAt = UInt32(truncatingIfNeeded: end * 3 + 48 * 700)
    #expect(timings.voiceToVoiceMilliseconds == 700)
  }
}
