import Foundation
import Testing
import VoiceProgram

/// The whole product with real models in the simulated room, in real time.
///
/// The program is the one of this build, a child process; what is judged is what it prints and
/// what the room recorded.
@Suite(.serialized)
struct ConversationTests {
  private struct Question: Decodable {
    var text: String
    var expectsTool: Bool

    private enum CodingKeys: String, CodingKey {
      case text
      case expectsTool = "expects_tool"
    }
  }

  @Test func spokenQuestionsAreAnsweredAloud() async throws {
    try VoiceProgram.requireModels()
    let place = try TemporaryPlace()
    defer { place.remove() }
    let questions = try Self.questions()
    let run = try await RealTime.shared.alone {
      let process = try await VoiceProcess.start(
        ["run", "--room", "--json", "--out", place.file("room.wav").path],
        environment: ["VOICE_DATA": place.folder.path], limit: .seconds(280))
      return SpokenRun(await process.ending())
    }
    let report = "\(run.verdict) \(run.problems) \(run.errors)"
    #expect(run.exitCode == 0, "\(report)")
    #expect(run.turns.count == questions.count, "\(report)")
    expectStatesInOrder(run.states, turns: questions.count)

    var heard = WordErrors()
    for (question, turn) in zip(questions, run.turns) {
      let errors = heard.add(said: question, heard: turn.question)
      if errors > 0 { print("\(errors) errors: \"\(question)\" was heard as \"\(turn.question)\"") }
    }
    print("word error rate over \(heard.words) words of the questions: \(percent(heard.rate))")
    #expect(heard.rate <= 0.15)

    let recording = try RoomRecording(contentsOf: place.file("room.wav"))
    let utterances = recording.utterances
    try #require(utterances.count == run.turns.count)
    var spoken = WordErrors()
    for (turn, text) in zip(run.turns, try await listen(to: recording)) {
      let errors = spoken.add(said: turn.answer, heard: text)
      if errors > 0 { print("\(errors) errors: \"\(turn.answer)\" sounds like \"\(text)\"") }
    }
    print("word error rate over \(spoken.words) words of the answers: \(percent(spoken.rate))")
    #expect(spoken.rate <= 0.20)
  }

  @Test(arguments: [0, 6])
  func theAgentNeverAnswersItself(echoReturnLoss: Int) async throws {
    let run = try await monologue(["--echo-db", "\(echoReturnLoss)"])
    #expect(run.states.contains("speaking"), "the agent said nothing: \(run.errors)")
    #expect(run.heard == [])
    #expect(run.turns.isEmpty)
    #expect(run.exitCode == 0, "\(run.verdict) \(run.problems) \(run.errors)")
  }

  /// The control of the test above: without gate and canceller the same greeting is heard.
  @Test func withoutGateAndCancellerTheAgentHearsItself() async throws {
    let run = try await monologue(["--echo-db", "0", "--gate-off", "--canceller-off"])
    #expect(!run.heard.isEmpty, "\(run.verdict) \(run.errors)")
    #expect(run.exitCode == 1)
  }

  /// A run in which the agent greets and nobody else speaks.
  private func monologue(_ options: [String]) async throws -> SpokenRun {
    try VoiceProgram.requireModels()
    let place = try TemporaryPlace()
    defer { place.remove() }
    try place.writeConfiguration(agent: [
      "greeting: >-",
      "  Good morning, and welcome to this house. I can tell you where things are, what the weather",
      "  will be like, and when the next train leaves. What is it that you would like to know?",
    ])
    return try await RealTime.shared.alone {
      let process = try await VoiceProcess.start(
        ["run", "--room", "--json", "--questions", "0", "--out", place.file("room.wav").path]
          + options, environment: ["VOICE_DATA": place.folder.path], limit: .seconds(90))
      return SpokenRun(await process.ending())
    }
  }

  private static func questions() throws -> [String] {
    let file = VoiceProgram.cache.appending(path: "fixtures/questions.json")
    let list = try JSONDecoder().decode([Question].self, from: Data(contentsOf: file))
    // As the run asks them: those that want a tool come last.
    return list.filter { !$0.expectsTool }.map(\.text) + list.filter(\.expectsTool).map(\.text)
  }

  /// What the recogniser makes of the speaker after each question, until the next.
  private func listen(to recording: RoomRecording) async throws -> [String] {
    let recogniser = try await Recogniser()
    var texts: [String] = []
    let ends = recording.utterances.dropFirst().map(\.lowerBound) + [recording.speaker.count]
    for (utterance, end) in zip(recording.utterances, ends) {
      texts.append(
        try await recogniser.text(of: recording.speaker[min(utterance.upperBound, end)..<end]))
    }
    await recogniser.stop()
    return texts
  }

  /// Connecting, idle, then for each turn listening, thinking, speaking and idle; in a gap of its
  /// speech the agent may think again. Questions for another agent have a session of their own.
  private func expectStatesInOrder(_ states: [String], turns: Int) {
    let turn = "listening thinking speaking( thinking speaking)* idle"
    let session = "connecting idle( \(turn))+"
    let isInOrder =
      states.joined(separator: " ")
      .range(of: "^\(session)( \(session))*$", options: .regularExpression) != nil
    #expect(isInOrder, "\(states)")
    #expect(states.count { $0 == "listening" } == turns)
  }

  private func percent(_ rate: Double) -> String { "\((rate * 1_000).rounded() / 10) %" }
}
