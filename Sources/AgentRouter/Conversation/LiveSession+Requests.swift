import Providers
public import SessionsModel
public import Stores

// What callers ask of the conversation.
extension LiveSession {
  /// Starts a turn that answers a text; returns once the turn is stored.
  ///
  /// The same request again gives the first response and no second turn.
  /// - Throws: `command_conflict` for another text under the same id, `response_in_progress` while
  ///   a typed turn is outstanding with voice on (R93) or too many wait.
  public func createResponse(_ request: CreateResponseRequest)
    async throws(APIError) -> AgentResponse
  {
    try checkLive()
    if let id = request.requestID, let first = try await turn(requestID: id) {
      guard first.said == request.text else {
        throw APIError(
          .commandConflict, "The request_id \(id) was used for another text; choose a new one.")
      }
      if request.isCommand { announce(AgentCommand(first.response, duplicate: true)) }
      return first.response
    }
    try checkLive()
    if record.isVoiceOn, turns.hasTypedTurn {
      throw APIError(
        .responseInProgress,
        "A typed turn is still being answered on the call; wait for heard_out or interrupt it.")
    }
    let id = runtime.makeID()
    var turn = Turn(
      id: id, requestID: request.requestID ?? id, origin: .typed, text: request.text,
      toolChoice: request.toolChoice)
    do throws(WireError) {
      turn.images = try request.pictures()
    } catch {
      throw APIError(error)
    }
    turn.attachments = request.attachments
    turn.isCommand = request.isCommand
    let ticket = try submit(turn)
    // Before anything can come of it; one that cannot be kept is stopped, and that is told too.
    if request.isCommand, let response = current(turn.requestID)?.response {
      announce(AgentCommand(response))
    }
    do throws(StoreError) {
      try await writer.written(ticket)
    } catch {
      perform(turns.interrupt(requestID: turn.requestID))
      throw APIError(error)
    }
    return current(turn.requestID)?.response ?? newRecord(of: turn).response
  }

  /// Tells watchers of a command that was taken.
  private func announce(_ command: AgentCommand) {
    emit(.commandAccepted, ["command": command.json])
  }

  /// Speaks or writes a text as it is (R152); after the reply in progress unless it interrupts.
  public func say(_ text: String, interrupt: Bool) throws(APIError) {
    try say(text, interrupt: interrupt, requestID: nil)
  }

  func say(_ text: String, interrupt: Bool, requestID: String?) throws(APIError) {
    try checkLive()
    guard !text.isEmpty else {
      throw APIError(.invalidField, "The field text is empty; there is nothing to say.")
    }
    let id = runtime.makeID()
    let turn = Turn(id: id, requestID: requestID ?? id, origin: .say, text: text)
    _ = try submit(turn, interrupting: interrupt)
  }

  /// Abandons the reply in progress, or only the one to a request.
  public func interrupt(requestID: String?) throws(APIError) {
    try checkLive()
    interrupt(requestID, askedBy: nil)
  }

  func interrupt(_ requestID: String?, askedBy watcher: EventWatcher?) {
    for action in turns.interrupt(requestID: requestID) {
      guard case .ignoreInterrupt(let requestID) = action else {
        perform([action])
        continue
      }
      let fields = requestID.map { ["request_id": JSONValue.string($0)] } ?? [:]
      watcher?.offer(Frame(.interruptIgnored, fields))
    }
  }

  /// Changes labels, models or voice; new models take over from the next turn (R33).
  public func update(_ request: UpdateSessionRequest) async throws(APIError) -> SessionRecord {
    try checkLive()
    var changed = record
    changed.applyLabels(of: request)
    changed.applySettings(of: request)
    try environment.checkModels(changed.settings.models)
    changed.updatedAt = now
    record = changed
    if request.changesModels { emit(.modelsChanged) }
    if request.title != nil || request.description != nil { announceLabels() }
    try await save()
    return record
  }

  func save() async throws(APIError) {
    do throws(StoreError) {
      try await writer.written(writer.write([.save(record)]))
    } catch {
      throw APIError(error)
    }
  }

  func checkLive() throws(APIError) {
    guard !isEnding, record.state == .live else {
      throw APIError(.sessionEnded, "The session \(record.id) has ended; open it again first.")
    }
  }

  /// Accepts a turn: it is stored, shown in the transcript, and begins now or in its order.
  ///
  /// - Returns: the ticket of its first write.
  @discardableResult
  func submit(_ turn: Turn, interrupting: Bool = false) throws(APIError)
    -> SessionWriter.Ticket
  {
    var next = turns
    guard let actions = interrupting ? next.preempt(with: turn) : next.submit(turn) else {
      throw APIError(
        .responseInProgress,
        "\(TurnStateMachine.waitingAtMost) turns are waiting; try again when one has ended.",
        retryAfterSeconds: 1)
    }
    turns = next
    let record = newRecord(of: turn)
    accepted[turn.id] = record
    remember(record)
    let ticket = store(accepted: turn, record)
    perform(actions)
    return ticket
  }

  func newRecord(of turn: Turn) -> TurnRecord {
    TurnRecord(
      sessionID: record.id, id: turn.id, requestID: turn.requestID, origin: turn.origin,
      said: turn.origin == .say ? "" : turn.text, createdAt: now)
  }

  /// The turn a request started, as it is now; nil when there is none.
  public func turn(requestID: String) async throws(APIError) -> TurnRecord? {
    if let known = current(requestID) { return known }
    guard !record.incognito else { return nil }
    do throws(StoreError) {
      let stored = try await environment.store.turn(of: record.key, requestID: requestID)
      return current(requestID) ?? stored
    } catch {
      throw APIError(error)
    }
  }

  func current(_ requestID: String) -> TurnRecord? {
    requests.last { $0.id == requestID }?.record
  }

  /// Keeps the newest state of a turn for repeated requests.
  func remember(_ record: TurnRecord) {
    if let index = requests.lastIndex(where: { $0.id == record.requestID }) {
      requests[index].record = record
      return
    }
    requests.append((record.requestID, record))
    if requests.count > Self.requestsRemembered { requests.removeFirst() }
  }
}
