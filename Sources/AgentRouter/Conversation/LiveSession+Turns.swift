import Networking
import Providers
import SessionsModel
import Stores

// Carries out what the turns' state machine decides.
extension LiveSession {
  func perform(_ actions: [TurnStateMachine.Action]) {
    for action in actions {
      switch action {
      case .begin(let turn): begin(turn)
      case .askModel(let turnID, let step): askModel(turnID, step: step)
      case .speakWords(let turn): speakWords(of: turn)
      case .runTools(let turnID, let calls): runTools(turnID, calls)
      case .endSpeech(let turnID): endSpeech(turnID)
      case .reportFailure(let turnID, let failure): report(failure, turnID)
      case .cut(let turnID): cut(turnID)
      case .finish(let turnID, let outcome): finish(turnID, outcome)
      case .drop(let turn): drop(turn)
      case .ignoreInterrupt: break
      }
    }
  }

  private func begin(_ turn: Turn) {
    stopNaming()
    let turnRecord = accepted.removeValue(forKey: turn.id) ?? newRecord(of: turn)
    var state = ReplyState(
      turn: turn, settings: record.settings, record: turnRecord, lastProgress: runtime.now)
    state.timings = turn.timings
    if turn.origin == .typed { state.timings.decidedAt = runtime.now }
    if turn.origin != .say {
      state.messages = [ModelMessage(.user, turn.text, images: turn.images, sound: turn.sound)]
      unbilledMessages += 1
      state.nextItem = 1
    }
    if record.isVoiceOn, room.publisher != nil, mediaCall != nil {
      lastGeneration += 1
      state.speech = SpeechState(
        generation: lastGeneration,
        quiet: QuietWatch(
          budget: answerBudget, since: turn.quietSince ?? turn.timings.decidedAt ?? runtime.now))
      state.speech?.isNative = turn.origin != .say && speaksItself(record.settings)
    }
    reply = state
    if turn.origin != .say { watchQuiet(turn.id) }
    emit(
      .responding,
      ["participant": participantValue, "prompt": .string(turn.origin == .say ? "" : turn.text)],
      of: turn)
    showGenerating()
  }

  /// The words of a `say`: written and spoken as they are.
  private func speakWords(of turn: Turn) {
    wrote(turn.text, turnID: turn.id)
    emitResponded(pendingWork: false)
    perform(turns.wordsSpoken(turn.id))
  }

  private func report(_ failure: TurnFailure, _ turnID: String) {
    guard reply?.turn.id == turnID, let turn = reply?.turn else { return }
    reply?.failure = failure
    var fallback: String?
    if reply?.speech != nil, failure.context != .voice {
      fallback = Self.fallbackLine
      speakFallback(Self.fallbackLine)
    }
    emitError(failure, of: turn, fallback: fallback)
    item(.error, text: failure.sentence)
  }

  /// Stops everything of the running turn; what was heard of it stays.
  private func cut(_ turnID: String) {
    guard var state = reply, state.turn.id == turnID else { return }
    state.task?.cancel()
    let (modelReply, voiceReply) = (state.modelReply, state.speech?.voiceReply)
    let ahead = state.ahead
    if modelReply != nil || voiceReply != nil || ahead != nil {
      runtime.task {
        await modelReply?.cancel()
        await voiceReply?.cancel()
        await ahead?.cancel()
      }
    }
    for call in tools.open { abandon(call, of: state.turn) }
    settleOpenTools(of: &state)
    if let speech = state.speech {
      flushSpeech(below: speech.generation + 1)
      state.text = speech.ledger?.heard(playedMilliseconds: speech.playedMilliseconds) ?? ""
    }
    state.record.isInterrupted = true
    reply = state
    emit(.interrupted, ["participant": participantValue], of: state.turn)
  }

  /// A call without a result would make every later request invalid (scenarios J9).
  private func settleOpenTools(of state: inout ReplyState) {
    for call in tools.takeAll() {
      let told = call.result?.told ?? History.noResult
      state.messages.append(ModelMessage(.tool, told, toolCallID: call.call.id))
    }
  }

  private func finish(_ turnID: String, _ outcome: TurnStateMachine.Outcome) {
    guard var state = reply, state.turn.id == turnID else { return }
    state.task?.cancel()
    if case .failed = outcome, let ledger = state.speech?.ledger {
      state.text = ledger.heard(playedMilliseconds: .max / 1_000_000)
    }
    state.record.answer = state.text
    state.record.finishedAt = now
    switch outcome {
    case .completed: state.record.status = .completed
    case .cancelled: state.record.status = .cancelled
    case .failed(let sentence):
      state.record.status = .failed
      state.record.error = sentence
    }
    state.timings.audioMilliseconds = state.speech?.ledger?.milliseconds
    reply = state
    if !state.text.isEmpty { item(.answer, text: state.text) }
    tellStopped(state.turn, state.record)
    emitTurn(state)
    reply = nil
    guard !state.turn.isUnrecorded else { return }
    // The person's sound was for this turn alone.
    state.messages = state.messages.map(\.withoutSound)
    let unsaid = state
    let last = state.textOfLastStep
    if !last.isEmpty { state.messages.append(ModelMessage(.assistant, last)) }
    let place = history.append(state.messages)
    if case .cancelled = outcome { awaitLastReport(unsaid, known: state.messages, at: place) }
    remember(state.record)
    record.updatedAt = now
    record.lastResponseAt = now
    closeAbandonedCalls(of: state)
    if case .completed = outcome, state.turn.origin != .say, !state.text.isEmpty { countAnswer() }
    store(finished: state)
    bill()
    // The next turn, if one waits, begins first.
    runtime.task {
      await self.nameWhenQuiet()
      await self.recall()
    }
  }

  private func drop(_ turn: Turn) {
    guard var turnRecord = accepted.removeValue(forKey: turn.id) else { return }
    turnRecord.status = .cancelled
    turnRecord.finishedAt = now
    remember(turnRecord)
    emit(.interrupted, ["participant": participantValue], of: turn)
    tellStopped(turn, turnRecord)
    if !turn.isUnrecorded { writer.write([.turn(turnRecord, record.key)]) }
  }

  /// Tells a command's client that it was stopped before its end.
  private func tellStopped(_ turn: Turn, _ record: TurnRecord) {
    guard turn.isCommand, record.status == .cancelled else { return }
    emit(.commandStopped, ["command": AgentCommand(record.response).json], of: turn)
  }

  // MARK: Frames

  func emitResponded(pendingWork: Bool) {
    guard let state = reply else { return }
    var fields: [String: JSONValue] = [
      "text": .string(pendingWork ? state.stepText : state.text),
      "pending_work": .bool(pendingWork),
    ]
    if let asked = state.timings.modelAskedAt, let first = state.timings.firstTokenAt {
      fields["time_to_first_token_ms"] = .double((first - asked).milliseconds)
    }
    emit(.responded, fields, of: state.turn)
  }

  private func emitTurn(_ state: ReplyState) {
    guard !state.turn.isFiller else { return }
    var fields = state.timings.fields
    fields["participant"] = participantValue
    fields["started_at"] = .string(RFC3339.string(from: state.record.createdAt))
    fields["interrupted"] = .bool(state.record.isInterrupted)
    environment.metrics.ended(
      state.record.status.rawValue, milliseconds: fields.compactMapValues(\.doubleValue))
    emit(.turn, fields, of: state.turn)
  }

  /// Who speaks with the agent: the device on the call, else the session's user.
  var participantValue: JSONValue {
    if let publisher = room.publisher { return publisher.participant }
    let user = JSONValue.string(record.owner.userID)
    return ["id": user, "user_id": user, "name": user]
  }
}
