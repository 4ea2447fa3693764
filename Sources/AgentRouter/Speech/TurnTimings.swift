import Networking
import SessionsModel

/// The legs of one turn, on one clock: the device's capture samples for what the person did, the
/// router's monotonic clock for what happened here.
struct TurnTimings: Sendable, Equatable {
  /// Just behind the last voiced sample, at 16 kHz; nil for a typed turn.
  var lastVoiced: UInt64?
  /// Where the end of the turn was decided, at 16 kHz.
  var decided: UInt64?
  /// When it was decided, or when the request of a typed turn came.
  var decidedAt: MonotonicInstant?
  var transcribedAt: MonotonicInstant?
  var modelAskedAt: MonotonicInstant?
  var firstTokenAt: MonotonicInstant?
  var firstPieceAt: MonotonicInstant?
  var voiceAskedAt: MonotonicInstant?
  var firstSpeechAt: MonotonicInstant?
  /// Silence at the beginning of the speech.
  var leadingSilence: Duration?
  var firstAudioSentAt: MonotonicInstant?
  /// Capture timestamp (48 kHz, modulo 2^32) when the first audible sample was heard.
  var heardAt: UInt32?
  var audioMilliseconds: Int?

  /// t0 to the decision.
  var endpointMilliseconds: Double? {
    guard let lastVoiced, let decided else { return nil }
    return Double(decided - lastVoiced) / 16
  }

  /// t0 to the final transcript.
  var transcribedMilliseconds: Double? { sinceSpeechEnd(transcribedAt) }

  /// The request to the voice until its first byte.
  var firstByteMilliseconds: Double? { span(voiceAskedAt, firstSpeechAt) }

  /// t0 to the first audible sample at the speaker, by the playout clock.
  var voiceToVoiceMilliseconds: Double? {
    guard let lastVoiced, let heardAt else { return nil }
    let end = UInt32(truncatingIfNeeded: lastVoiced * 3)
    return Double(Int32(bitPattern: heardAt &- end)) / 48
  }

  /// The fields of a `turn` frame (contract part 2, "Timings"); an unmeasured leg is null.
  var fields: [String: JSONValue] {
    let legs: [String: Double?] = [
      "endpoint_ms": endpointMilliseconds,
      "stt_final_ms": transcribedMilliseconds,
      "stt_latency_ms": transcribedMilliseconds,
      "llm_ttft_ms": span(modelAskedAt, firstTokenAt),
      "llm_first_sentence_ms": span(modelAskedAt, firstPieceAt),
      "time_to_first_byte_ms": firstByteMilliseconds,
      "tts_ttfb_ms": firstByteMilliseconds,
      "time_to_first_audio_ms": firstAudioMilliseconds,
      "roundtrip_ms": span(transcribedAt ?? decidedAt, firstAudioSentAt),
      "speech_end_to_audio_ms": sinceSpeechEnd(firstAudioSentAt),
      "v2v_ms": voiceToVoiceMilliseconds,
      // These two and endpoint_ms add up to v2v_ms.
      "answer_ms": span(decidedAt, firstAudioSentAt),
      "output_ms": outputMilliseconds,
      // When it was asked, from t0; before endpoint_ms when it was asked ahead.
      "llm_asked_ms": sinceSpeechEnd(modelAskedAt),
      "tts_asked_ms": sinceSpeechEnd(voiceAskedAt),
      "audio_out_ms": audioMilliseconds.map(Double.init),
    ]
    return legs.mapValues { leg in leg.map { .double(Self.rounded($0)) } ?? .null }
  }

  private var firstAudioMilliseconds: Double? {
    guard let firstByte = firstByteMilliseconds, let leadingSilence else { return nil }
    return firstByte + leadingSilence.milliseconds
  }

  /// From the first audio that was sent to the first that was heard.
  private var outputMilliseconds: Double? {
    guard let heard = voiceToVoiceMilliseconds, let sent = sinceSpeechEnd(firstAudioSentAt) else {
      return nil
    }
    return heard - sent
  }

  private func sinceSpeechEnd(_ instant: MonotonicInstant?) -> Double? {
    guard let endpoint = endpointMilliseconds, let rest = span(decidedAt, instant) else {
      return nil
    }
    return endpoint + rest
  }

  private func span(_ start: MonotonicInstant?, _ end: MonotonicInstant?) -> Double? {
    guard let start, let end else { return nil }
    return (end - start).milliseconds
  }

  /// To the microsecond: more digits would only pretend.
  private static func rounded(_ milliseconds: Double) -> Double {
    (milliseconds * 1000).rounded() / 1000
  }
}
