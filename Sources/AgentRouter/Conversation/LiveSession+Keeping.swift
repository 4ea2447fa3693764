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

  /// Stores how a turn ended, its answer in the transcript, and the session's own times.
  func store(finished state: ReplyState) {
    var changes = [StoreChange.turn(state.record, record.key), .save(record)]
    if var message = message(.assistant, state.text, of: state.turn) {
      message.extra["generating"] = false
      message.extra["spoken"] = .bool(state.speech != nil)
      message.extra["interrupted"] = .bool(state.record.isInterrupted)
      changes.append(.message(message, record.key))
      emit(.messageNew, ["message": message.json])
    }
    writer.write(changes)
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
      id: "\(turn.id)-\(role.rawValue)", role: role,
      userID: role == .user ? record.owner.userID : record.agent, text: text, createdAt: now,
      extra: [
        "response_id": .string(turn.id), "request_id": .string(turn.requestID),
        "spoken": .bool(turn.origin == .spoken),
      ])
  }
}
