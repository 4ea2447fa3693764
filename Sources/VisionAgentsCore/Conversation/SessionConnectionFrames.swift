import Networking
import SessionsModel

// What follows from the frames of the socket.
extension SessionConnection {
  func restart(_ frame: Frame) {
    fold.apply(frame)
    turns.restart(frame)
    snapshot.state = fold.state
    take(sessionOf: frame)
  }

  func deliver(_ frame: Frame) async {
    if frame.type.rawValue.hasPrefix("call.") {
      await signal?(.frame(frame))
      return
    }
    follow(frame)
    subscribers.send(AgentEvent(frame))
    switch frame.type {
    case .toolCall: await perform(calls.called(frame.fields))
    case .toolCancel: await perform(calls.cancelled(frame["id"]?.stringValue ?? ""))
    case .toolRan: await perform(calls.settled(frame["tool_call_id"]?.stringValue ?? ""))
    default: break
    }
  }

  /// Keeps the state, the turns and the record up to date.
  private func follow(_ frame: Frame) {
    var changed = turns.apply(frame, at: runtime.wallClock)
    if changed { snapshot.turns = turns.turns }
    switch frame.type {
    case .snapshot: changed = take(sessionOf: frame) || changed
    case .sessionUpdated:
      snapshot.session.title = frame["title"]?.stringValue ?? snapshot.session.title
      snapshot.session.description =
        frame["description"]?.stringValue ?? snapshot.session.description
      changed = true
    case .sessionState:
      // The router's own word. Both fold the same frames by the same rules, so it is no news.
      let skills = frame["skills"]?.arrayValue?.compactMap(\.stringValue) ?? []
      if let name = frame["state"]?.stringValue,
        let state = ConversationState(name: name, skills: skills), state != snapshot.state
      {
        snapshot.state = state
        changed = true
      }
    default:
      if fold.apply(frame) {
        snapshot.state = fold.state
        changed = true
      }
    }
    if changed { publish() }
  }

  /// This device's speaker has finished the reply: the state says so now, not a round trip later
  /// when the router's `heard_out` comes (R80).
  func replyWasHeard() {
    let before = fold.state
    for turn in fold.soundingTurns { fold.apply(Frame(.heardOut, ["turn_id": .string(turn)])) }
    guard fold.state != before else { return }
    snapshot.state = fold.state
    publish()
  }

  @discardableResult
  private func take(sessionOf frame: Frame) -> Bool {
    // A record this version cannot read leaves the one we have.
    guard let json = frame["session"], let body = try? SessionBody(json: json) else {
      return false
    }
    snapshot.session = Session(body)
    return true
  }

  /// Reads the turns again: events were missed, or the session was resumed.
  func refill() {
    runtime.task {
      do {
        let responses = Responses(client: self.client, sessionID: self.id)
        await self.replaceTurns(try await responses.list(limit: 200).items)
      } catch {
        _ = await self.note(error)
      }
    }
  }

  private func replaceTurns(_ responses: [Response]) {
    turns.replace(with: responses)
    snapshot.turns = turns.turns
    publish()
  }
}
