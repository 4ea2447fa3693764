import Networking
import SessionsModel
import Stores

// What is written down of the turns.
extension LiveSession {
  /// Stores a turn that was accepted and shows the user's words in the transcript.
  func store(accepted turn: Turn, _ turnRecord: TurnRecord) -> SessionWriter.Ticket {
    guard !turn.isUnrecorded else { return 0 }
    var changes = [StoreChange.turn(turnRecord, record.key)]
    if turn.origin != .say {
      var said = AgentResponseItem(
        responseID: turn.id, ordinal: 0, kind: .said, at: turnRecord.createdAt, text: turn.text)
      said.sessionID = record.id
      said.payload = turn.attachments
      changes.append(.item(said, record.key))
      if let message = message(.user, turn.text, of: turn) {
        changes.append(.message(message, record.key))
        emit(.messageNew, ["message": message.json])
      }
    }
    return writer.write(changes)
  }

  /// How often a reply that is being written is shown in the transcript, at most.
  private static let transcriptPeriod = Duration.milliseconds(100)

  /// Shows the reply in the transcript while it is being made: without text the agent thinks (R89).
  ///
  /// Whole texts, so that who comes late needs no beginning; the first and the last are kept.
  func showGenerating() {
    guard let state = reply, !state.turn.isUnrecorded else { return }
    if let shown = state.transcript {
      guard runtime.now - shown.shownAt >= Self.transcriptPeriod,
        watchers.contains(where: \.options.channel)
      else { return }
    }
    guard let message = reply(of: state, isGenerating: true) else { return }
    if state.transcript == nil {
      writer.write([.message(message, record.key)])
      emit(.messageNew, ["message": message.json])
    } else {
      emit(.messageUpdated, ["message": message.json])
    }
    reply?.transcript = (message.createdAt, runtime.now)
  }

  /// Stores how a turn ended, its answer in the transcript, and the session's own times.
  func store(finished state: ReplyState) {
    var changes = [StoreChange.turn(state.record, record.key), .save(record)]
    if let message = reply(of: state, isGenerating: false) {
      changes.append(.message(message, record.key))
      emit(.messageUpdated, ["message": message.json])
    }
    writer.write(changes)
  }

  private func reply(of state: ReplyState, isGenerating: Bool) -> TranscriptMessage? {
    guard var message = message(.assistant, state.text, of: state.turn) else { return nil }
    message.createdAt = state.transcript?.since ?? message.createdAt
    message.extra["generating"] = .bool(isGenerating)
    message.extra["spoken"] = .bool(state.speech != nil)
    message.extra["interrupted"] = .bool(state.record.isInterrupted)
    return message
  }

  /// What happened is not on the disk: the conversation goes on, and people are told.
  func couldNotStore(_ error: StoreError) {
    guard !isEnding else { return }
    emitError(TurnFailure(.store, "\(APIError(error).message) This part may be missing later."))
  }

  /// Adds an item to the running turn.
  func item(
    _ kind: AgentResponseItem.Kind, text: String? = nil, tool: String? = nil,
    payload: JSONValue? = nil
  ) {
    guard let state = reply, !state.turn.isUnrecorded else { return }
    var item = AgentResponseItem(
      responseID: state.turn.id, ordinal: state.nextItem, kind: kind, at: now, text: text)
    item.toolName = tool
    item.payload = payload
    item.sessionID = record.id
    reply?.nextItem += 1
    writer.write([.item(item, record.key)])
  }

  /// A message of the transcript; nil when the session keeps none.
  private func message(_ role: TranscriptMessage.Role, _ text: String, of turn: Turn)
    -> TranscriptMessage?
  {
    guard record.conversationID != nil else { return nil }
    return TranscriptMessage(
      id: TranscriptMessage.id(of: turn.id, role), role: role,
      userID: role == .user ? record.owner.userID : record.agent, text: text, createdAt: now,
      extra: [
        "response_id": .string(turn.id), "request_id": .string(turn.requestID),
        "spoken": .bool(turn.origin == .spoken),
      ])
  }
}
