import Foundation

/// The person in the simulated room: asks the recorded questions, one after the other, each when
/// the agent has been heard out.
@MainActor
struct RoomVisit {
  /// One question and what came of it.
  struct Outcome {
    var question: FixtureQuestion
    /// Frame of the recording at which the question began.
    var startFrame: Int64
    /// The turn that answered it; nil when none came.
    var turnID: String?
    /// What is missing; nil when the question got its spoken answer.
    var complaint: String?
  }

  /// Longest wait for an answer to be heard out.
  static let answerLimit = Duration.seconds(45)
  /// Silence a polite person leaves before the next question.
  static let politeness = Duration.milliseconds(700)

  let room: RoomStage
  let conversation: Conversation
  let folder: URL
  /// Nothing more will come: the person at the terminal wants no more, or the router is gone.
  let isOver: () -> Bool

  /// Asks one question and waits for its answer to be heard.
  func ask(_ question: FixtureQuestion) async throws(FileFault) -> Outcome {
    let recording = try WAVFile(contentsOf: folder.appending(path: question.file))
    guard recording.rate == 48_000 else {
      throw FileFault(
        "\(question.file) has \(recording.rate) Hz; the room wants 48000. "
          + "Convert it: sox INPUT -r 48000 -c 1 -b 16 OUTPUT.wav")
    }
    _ = await conversation.wait(upTo: .seconds(20)) { $0.hasBeenQuiet(for: Self.politeness) }
    let known = conversation.ledger.turns.count
    let start = try room.say(recording.samples)
    let length = Duration.milliseconds(recording.samples.count / 48)
    let isAnswered = await conversation.wait(upTo: length + Self.answerLimit) {
      $0.ledger.turns.dropFirst(known).contains { $0.wasAsked && $0.heardOut }
        || isOver()
    }
    let turn = conversation.ledger.turns.dropFirst(known).first { $0.wasAsked }
    return Outcome(
      question: question, startFrame: start, turnID: turn?.turnID,
      complaint: complaint(about: turn, isHeardOut: isAnswered))
  }

  private func complaint(about turn: TurnReport?, isHeardOut: Bool) -> String? {
    guard let turn else { return "was not heard: no turn came of it" }
    if conversation.ledger.hasModel, !turn.answeredByModel { return "got no words from the model" }
    if !isHeardOut { return "got an answer that was not heard to its end" }
    return nil
  }
}
