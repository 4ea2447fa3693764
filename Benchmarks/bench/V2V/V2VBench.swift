import Foundation
import SessionsModel
import VoiceProgram

/// From the person's last sound to the agent's first, by the room's own recording.
struct V2VBench: Bench {
  let name = "v2v"
  let summary = "silence between question and answer, by the simulated room's recording"
  /// Three times the silence that ends a turn: the bar is out of reach.
  let controls = ["silence=1500"]

  /// Half of what the best peer needs on the same machine with the same models.
  private static let bar = 530.0
  private static let bar95 = 900.0
  private static let barOfError = 15.0
  private static let barOfFirstAudio = 30.0

  func run(_ options: BenchOptions) async throws -> [Figure] {
    let isControl = options.controls.contains("silence=1500")
    let conversation = try await V2VConversation.hold(
      questions: options.isQuick ? 4 : nil,
      silence: isControl ? 1_500 : nil)
    var turns = conversation.turns
    let peers = try await besidePeers(options, questions: turns.count)
    turns += peers.turns
    let recorded = turns.map(\.recorded)
    let p50 = Figure("v2v_p50_ms", recorded, unit: "ms", bar: Self.bar, better: .lower)
    if isControl, p50.holds == true {
      throw BenchFailure("the control passed: \(p50.value ?? 0) ms although a turn waits 1,500.")
    }
    if isControl {
      throw BenchFailure(
        "as the control must: v2v_p50_ms is \(Int(p50.value ?? 0)), the bar \(Int(Self.bar)).")
    }
    var p95 = Figure("v2v_p95_ms", recorded, unit: "ms", bar: Self.bar95, better: .lower)
    p95.value = percentile95(recorded)
    var error = Figure(
      "v2v_report_error_ms", turns.map { abs($0.reported - $0.recorded) }, unit: "ms",
      bar: Self.barOfError, better: .lower)
    error.value = error.max
    return [
      p50, p95, error,
      // What of that error is where the detector and where the label put the person's last sound.
      Figure("v2v_detector_offset_ms", turns.map(\.detectorOffset), unit: "ms"),
      Figure(
        "v2v_report_error_from_detector_ms",
        turns.map { abs($0.recorded - $0.reported - $0.detectorOffset) }, unit: "ms",
        better: .lower),
      ratio(recorded, peers),
      leg("time_to_first_byte_p50_ms", turns) { $0.leg("time_to_first_byte_ms") },
      leg("time_to_first_audio_p50_ms", turns, bar: Self.barOfFirstAudio) {
        $0.leg("time_to_first_audio_ms")
      },
      leg("v2v_endpoint_p50_ms", turns) { $0.leg("endpoint_ms") },
      leg("v2v_transcript_p50_ms", turns) { $0.span("endpoint_ms", "stt_final_ms") },
      leg("v2v_model_asked_p50_ms", turns) { $0.leg("llm_asked_ms") },
      leg("v2v_voice_asked_p50_ms", turns) { $0.leg("tts_asked_ms") },
      leg("v2v_first_token_p50_ms", turns) { $0.leg("llm_ttft_ms") },
      leg("v2v_first_sentence_p50_ms", turns) { $0.leg("llm_first_sentence_ms") },
      leg("v2v_sent_p50_ms", turns) { $0.leg("speech_end_to_audio_ms") },
      leg("v2v_playout_p50_ms", turns) { $0.span("speech_end_to_audio_ms", "v2v_ms") },
    ]
  }

  /// Conversations with pipecat, and a second one of ours between them: A B A B.
  private func besidePeers(_ options: BenchOptions, questions: Int) async throws -> Peers {
    guard options.isBesidePeers else { return Peers(why: "asked for with --peers") }
    do {
      let first = try V2VPipecat.converse(questions: questions)
      let ours = try await V2VConversation.hold(questions: questions, silence: nil)
      return Peers(
        turns: ours.turns, pipecat: [first, try V2VPipecat.converse(questions: questions)])
    } catch let missing as V2VPipecat.Missing {
      return Peers(why: missing.why)
    }
  }

  private struct Peers {
    var turns: [V2VTurn] = []
    var pipecat: [V2VPipecat] = []
    var why = ""
  }

  /// Our median against pipecat's.
  private func ratio(_ recorded: [Double], _ peers: Peers) -> Figure {
    let name = "v2v_ratio_pipecat"
    let theirs = peers.pipecat.flatMap(\.recorded)
    guard let version = peers.pipecat.first?.version, let ours = median(recorded),
      let other = median(theirs)
    else { return Figure(name, unit: "ratio", why: peers.why) }
    let lost = peers.pipecat.map(\.lost).reduce(0, +)
    let reported = median(peers.pipecat.flatMap(\.reported)).map { "\(Int($0))" } ?? "nothing"
    return Figure(name, [ours / other], unit: "ratio", bar: 0.5, better: .lower)
      .beside(
        "pipecat \(version), ms, \(lost) lost, itself reports \(reported)", theirs,
        ratio: ours / other)
  }

  /// A leg of the way as the turns report it; a turn that did not measure it is left out.
  private func leg(
    _ name: String, _ turns: [V2VTurn], bar: Double? = nil, of value: (V2VTurn) -> Double?
  ) -> Figure {
    let values = turns.compactMap(value)
    guard !values.isEmpty else {
      return Figure(name, unit: "ms", why: "no turn reported this leg")
    }
    return Figure(name, values, unit: "ms", bar: bar, better: .lower)
  }

  /// The smallest value that at least 95 % of the runs do not exceed.
  private func percentile95(_ runs: [Double]) -> Double? {
    let sorted = runs.sorted()
    guard !sorted.isEmpty else { return nil }
    return sorted[Int((Double(sorted.count) * 0.95).rounded(.up)) - 1]
  }
}
