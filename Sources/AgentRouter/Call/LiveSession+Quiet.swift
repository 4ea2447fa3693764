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

  /// How long after the answer's budget the words of an utterance may come and are still answered.
  static let lateWordsLimit = Duration.seconds(10)

  /// A recogniser that takes its time is waited for, and the person is told so within the budget.
  func watchRecogniser(_ number: Int) {
    let head = max(.zero, answerBudget - QuietWatch.head)
    runtime.task {
      // As above.
      try? await self.runtime.sleep(for: head)
      var fillers = 0
      let limit = self.runtime.now + Self.lateWordsLimit
      while let left = await self.fillRecognition(number, fillers, until: limit) {
        fillers += 1
        // As above.
        try? await self.runtime.sleep(for: left)
      }
    }
  }

  /// - Returns: when to look again; nil when nothing more is waited for.
  private func fillRecognition(_ number: Int, _ fillers: Int, until limit: MonotonicInstant)
    -> Duration?
  {
    guard recognitions[number] != nil, !isEnding else { return nil }
    guard runtime.now < limit else {
      recognitions[number] = nil
      let waited = answerBudget - QuietWatch.head + Self.lateWordsLimit
      emitError(
        TurnFailure(.recogniser, "The recogniser had no words after \(waited.milliseconds) ms."))
      apologize()
      return nil
    }
    // Whoever speaks again is not talked over: their next words say the rest.
    if room.publisher != nil, turns.running == nil, !hearing.isSpeaking {
      recognitions[number]?.filledAt = runtime.now + QuietWatch.head
      sayWhileListening(QuietWatch.fillers[fillers % QuietWatch.fillers.count])
    }
    return min(answerBudget, limit - runtime.now)
  }

  private func sayWhileListening(_ line: String) {
    environment.metrics.count("fillers")
    let id = runtime.makeID()
    var turn = Turn(id: id, requestID: id, origin: .say, text: line)
    turn.isUnrecorded = true
    turn.isFiller = true
    do throws(APIError) {
      try submit(turn)
    } catch {
      // So much is waiting to be said that nobody sits in silence.
    }
  }
}
