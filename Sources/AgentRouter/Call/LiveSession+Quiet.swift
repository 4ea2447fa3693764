import Networking
import Stores

// No dead air: while an answer is being made, something is said before the budget is used up.
extension LiveSession {
  /// Words that wait for the end of their clause are spoken as they are when the model has been
  /// silent for this long (scenarios J11).
  static let clausePatience = Duration.milliseconds(1_200)
  private static let quietPoll = Duration.milliseconds(300)

  var answerBudget: Duration { .milliseconds(agent.turn.answerBudgetMilliseconds) }

  func watchQuiet(_ turnID: String) {
    runtime.task {
      while let left = await self.quietTimeLeft(turnID) {
        // Only a cancelled task wakes early, and nobody cancels this one.
        try? await self.runtime.sleep(for: left)
      }
    }
  }

  /// Says what is due and returns when to look again; nil when the turn needs no watching any more.
  private func quietTimeLeft(_ turnID: String) -> Duration? {
    guard isAnswering(turnID), let speech = reply?.speech, !speech.isComplete, !speech.isBroken
    else { return nil }
    // What the voice is at work on sounds soon, or fails within the voice's own limits.
    guard speech.waiting.isEmpty, !speech.isDraining else { return Self.quietPoll }
    if speech.chunker.hasWords, let last = reply?.lastProgress,
      runtime.now - last >= Self.clausePatience
    {
      flushClause()
      return Self.quietPoll
    }
    let left = speech.quiet.due - runtime.now
    guard left <= .zero else { return min(left, Self.quietPoll) }
    sayFiller()
    return Self.quietPoll
  }

  private func flushClause() {
    guard var speech = reply?.speech, let clause = speech.chunker.flush() else { return }
    reply?.speech = speech
    enqueue(clause)
  }

  private func sayFiller() {
    guard var speech = reply?.speech else { return }
    let line = speech.quiet.nextFiller()
    environment.metrics.count("fillers")
    speech.waiting.append(SpeechState.Piece(written: "", spoken: line))
    reply?.speech = speech
    drainIfNeeded()
  }

  /// The words of an utterance have to be there in time for something to be said within the budget.
  func watchRecogniser(_ number: Int) {
    let limit = max(.zero, answerBudget - QuietWatch.head)
    runtime.task {
      // As above.
      try? await self.runtime.sleep(for: limit)
      await self.recogniserLimitPassed(number, limit)
    }
  }

  private func recogniserLimitPassed(_ number: Int, _ limit: Duration) {
    guard recognitions[number] != nil, !isEnding else { return }
    recognitions[number] = nil
    emitError(
      TurnFailure(.recogniser, "The recogniser had no words after \(limit.milliseconds) ms."))
    apologize()
  }
}
