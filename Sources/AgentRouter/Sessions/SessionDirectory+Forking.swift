import Foundation
import Networking
public import SessionsModel
public import Stores

// Continuing a conversation as a new one, and going back in one that has ended.
extension SessionDirectory {
  /// Continues a session as a new one, in writing; the parent is untouched (R134 to R144).
  public func fork(
    _ id: String, _ request: ForkSessionRequest, by caller: Caller
  ) async throws(APIError) -> SessionRecord {
    let parent = try await record(id, for: caller)
    guard !parent.incognito else {
      throw APIError(
        .forkIncognito,
        "The session is incognito: nothing was recorded, so there is nothing to fork.")
    }
    let agent = try agent(of: request, parent)
    try environment.checkModels(request.modelOverwrites ?? ModelOverwrites())
    // What was said a moment ago is to be carried along too.
    // What could not be stored was told of; the rest is carried.
    try? await holder(id, for: caller)?.flush()
    let history =
      request.messages == false
      ? CarriedHistory() : try await history(of: parent, to: request.responseID)
    try checkRoom()
    let runtime = environment.runtime
    var fork = SessionRecord(
      forking: parent, request, id: runtime.makeID(), by: caller, agent: agent,
      at: runtime.timestamp)
    fork.reviewedTurns = history.turns.count { $0.isOfUser }
    if !fork.incognito { try await commit([.create(fork)] + history.changes(for: fork)) }
    enter(makeHolder(fork, agent, history.recorded, environment), fork)
    return fork
  }

  private func agent(
    of request: ForkSessionRequest, _ parent: SessionRecord
  ) throws(APIError) -> AgentConfiguration {
    var asked = CreateSessionRequest()
    asked.agent = request.configID == nil ? request.agent ?? parent.agent : nil
    asked.configID = request.configID
    return try agent(of: asked)
  }

  private func history(
    of parent: SessionRecord, to responseID: String?
  ) async throws(APIError) -> CarriedHistory {
    let (store, key) = (environment.store, parent.key)
    var turns: [TurnRecord]
    let items: [AgentResponseItem]
    let messages: [TranscriptMessage]
    do throws(StoreError) {
      turns = try await store.turns(of: key, .all).map(\.value)
      items = try await store.items(of: key, responseID: nil, .all).map(\.value)
      messages = try await store.messages(of: key, .all).map(\.value)
    } catch {
      throw APIError(error)
    }
    var end: Date?
    if let responseID {
      let later = try Rewinding.split(turns, behind: responseID)
      guard let last = later.kept.last, last.status != .running else {
        throw APIError(
          .responseInProgress, "The response \(responseID) is still being given; wait for its end.")
      }
      turns = later.kept
      end = last.finishedAt
    }
    return CarriedHistory(turns: turns, items: items, messages: messages, end: end)
  }

  private func commit(_ changes: [StoreChange]) async throws(APIError) {
    do throws(StoreError) {
      try await environment.store.commit(changes)
    } catch {
      throw APIError(error)
    }
  }

  /// Goes back to a response; a session that has ended stays ended.
  public func rewind(
    _ id: String, to responseID: String, for caller: Caller
  ) async throws(APIError) {
    let record = try await record(id, for: caller)
    try Rewinding.check(record)
    if let holder = try await holder(id, for: caller) {
      try await holder.rewind(to: responseID)
      return
    }
    let key = record.key
    try await pass(key)
    defer { turnstile.leave(key) }
    guard entries[key] == nil else {
      throw APIError(.responseInProgress, "The session was just opened; go back once more.")
    }
    let turns: [TurnRecord]
    do throws(StoreError) {
      turns = try await environment.store.turns(of: key, .all).map(\.value)
    } catch {
      throw APIError(error)
    }
    try await commit(Rewinding.changes(try Rewinding.split(turns, behind: responseID).later, key))
  }
}

/// What a fork takes along of its parent.
private struct CarriedHistory {
  var turns: [TurnRecord] = []
  var items: [AgentResponseItem] = []
  var messages: [TranscriptMessage] = []

  init() {}

  /// - Parameter end: nothing later is carried; nil carries everything.
  init(
    turns: [TurnRecord], items: [AgentResponseItem], messages: [TranscriptMessage], end: Date?
  ) {
    // A reply that is not over has no end to carry it to.
    self.turns = turns.filter { $0.status != .running }
    let carried = Set(self.turns.map(\.id))
    self.items = items.filter { carried.contains($0.responseID) }
    self.messages = messages.filter { message in
      guard let response = message.extra["response_id"]?.stringValue else {
        return end.map { message.createdAt <= $0 } ?? true
      }
      return carried.contains(response)
    }
  }

  var recorded: [RecordedTurn] { RecordedTurn.joined(turns, items) }

  /// The rows of the fork's own: the two conversations never share one (R142).
  func changes(for fork: SessionRecord) -> [StoreChange] {
    let key = fork.key
    var changes: [StoreChange] = turns.map { turn in
      var turn = turn
      turn.sessionID = fork.id
      // The parent's request ids are free in the fork: the same question may be asked again.
      turn.requestID = turn.id
      return .turn(turn, key)
    }
    changes += items.map { item in
      var item = item
      item.sessionID = fork.id
      return .item(item, key)
    }
    if fork.conversationID != nil { changes += messages.map { .message($0, key) } }
    return changes
  }
}
