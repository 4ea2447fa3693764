import CVoiceDSP
import Foundation
import SessionsModel
import VoiceProgram

/// A `voice run` in the simulated room, measured by what the room recorded.
struct V2VConversation {
  let turns: [V2VTurn]

  private struct Question: Decodable {
    var file: String
    var lastVoicedSample: Int
    var expectsTool: Bool

    private enum CodingKeys: String, CodingKey {
      case file
      case lastVoicedSample = "last_voiced_sample_48k"
      case expectsTool = "expects_tool"
    }
  }

  /// Asks the recorded questions in a folder of its own, which is removed afterwards.
  ///
  /// - Parameters:
  ///   - questions: how many; nil for all.
  ///   - silence: milliseconds that end a turn; nil for the product's own.
  /// - Throws: ``BenchFailure`` when a question got no spoken answer.
  static func hold(questions: Int?, silence: Int?) async throws -> V2VConversation {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "voice-bench-\(ProcessInfo.processInfo.processIdentifier)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    // What is left of a bench in the temporary folder harms nobody.
    defer { try? FileManager.default.removeItem(at: folder) }
    if let silence {
      try configuration(silence: silence)
        .write(to: folder.appending(path: "router.yaml"), atomically: true, encoding: .utf8)
    }
    let asked = try plainQuestions(questions)
    let recording = folder.appending(path: "room.wav")
    let process = try await VoiceProcess.start(
      [
        "run", "--room", "--json", "--questions", "\(asked.count)", "--out", recording.path,
      ], environment: ["VOICE_DATA": folder.path], limit: .seconds(60 + 20 * asked.count))
    let run = SpokenRun(await process.ending())
    guard run.exitCode == 0 else {
      throw BenchFailure(
        "voice run ended with \(run.exitCode): \(run.verdict) "
          + (run.problems + [run.errors]).joined(separator: " "))
    }
    return try V2VConversation(
      asked, run: run, recording: try RoomRecording(contentsOf: recording))
  }

  private init(_ asked: [Question], run: SpokenRun, recording: RoomRecording) throws {
    guard run.turns.count == asked.count, recording.utterances.count == asked.count else {
      throw BenchFailure(
        "\(asked.count) questions, \(recording.utterances.count) recorded, "
          + "\(run.turns.count) turns: they cannot be told apart.")
    }
    var weights: OpaquePointer?
    guard vd_vad_weights_load(&weights, Places.vadWeights, nil, 0) == 0 else {
      throw BenchFailure("\(Places.vadWeights) cannot be read: run make setup.")
    }
    defer { vd_vad_weights_release(weights) }
    let detector = V2VDetectorEnd(weights: weights)
    turns = try zip(zip(asked, recording.utterances), run.turns).map { pair, turn in
      let end = pair.1.lowerBound + pair.0.lastVoicedSample
      guard let sound = recording.firstSound(from: end),
        let reported = turn.milliseconds["v2v_ms"]
      else { throw BenchFailure("\"\(turn.question)\" has no audible or no measured answer.") }
      return V2VTurn(
        recorded: Double(sound - end) / 48, reported: reported,
        detectorOffset: try detector.milliseconds(
          clip: "\(Places.fixtures)/\(pair.0.file)", label: pair.0.lastVoicedSample),
        milliseconds: turn.milliseconds)
    }
  }

  private static func plainQuestions(_ count: Int?) throws -> [Question] {
    let list = URL(filePath: Places.fixtures).appending(path: "questions.json")
    let plain = try JSONDecoder().decode([Question].self, from: Data(contentsOf: list))
      .filter { !$0.expectsTool }
    return Array(plain.prefix(count ?? plain.count))
  }

  private static func configuration(silence: Int) -> String {
    """
    apps:
      - key: bench
        secret: only-for-this-bench-on-this-machine
    agents:
      - name: assistant
        instructions: Answer in one short sentence.
        turn:
          silence_ms: \(silence)

    """
  }
}
