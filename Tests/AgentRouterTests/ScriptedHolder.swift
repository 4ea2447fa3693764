import Networking
import SessionsModel
import Stores

@testable import AgentRouter

/// A session without an agent: it stores what it is asked and answers nothing by itself.
actor ScriptedHolder: SessionHolder {
  private(set) var record: SessionRecord
  private(set) var state = ConversationState.idle
  let history: [RecordedTurn]
  private let environment: RouterEnvironment
  private var log: EventLog
  private var watchers: [EventWatcher] = []
  private(set) var commands: [JSONValue] = []
  private(set) var said: [String] = []

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    environment.runtime.executor.asUnownedSerialExecutor()
  }

  init(record: SessionRecord, history: [RecordedTurn], environment: RouterEnvironment) {
    self.record = record
    self.history = history
    self.environment = environment
    log = EventLog(stream: "stream-of-\(record.id)")
  }

  func emit(_ frame: Frame) {
    let numbered = log.append(frame)
    for watcher in watchers { watcher.offer(numbered) }
  }

  func attach(_ watcher: EventWatcher, resumingAfter: UInt64?, stream: String?) {
    let resumption = log.resume(after: resumingAfter, stream: stream)
    watcher.offer(
      Frame(
        .snapshot, ["stream": .string(log.stream), "gap": .bool(resumption.gap)],
        seq: log.lastSequence))
    watcher.replay(resumption.frames)
    watchers.append(watcher)
  }

  func detach(_ watcher: EventWatcher, normally: Bool) {
    watchers.removeAll { $0.id == watcher.id }
  }

  func handle(command: JSONValue, from watcher: EventWatcher) {
    commands.append(command)
    emit(Frame(.commandAccepted, ["command": command]))
  }

  func createResponse(_ request: CreateResponseRequest) async throws(APIError) -> AgentResponse {
    let id = environment.runtime.makeID()
    var turn = TurnRecord(
      sessionID: record.id, id: id, requestID: request.requestID ?? id, origin: .typed,
      said: request.text, createdAt: environment.runtime.timestamp)
    let item = AgentResponseItem(
      responseID: id, ordinal: 0, kind: .said, at: turn.createdAt, text: request.text)
    turn.status = .completed
    do throws(StoreError) {
      try await environment.store.commit([.turn(turn, record.key), .item(item, record.key)])
    } catch {
      throw APIError(error)
    }
    record.lastResponseAt = environment.runtime.timestamp
    return turn.response
  }

  func turn(requestID: String) async throws(APIError) -> TurnRecord? {
    do throws(StoreError) {
      return try await environment.store.turn(of: record.key, requestID: requestID)
    } catch {
      throw APIError(error)
    }
  }

  func say(_ text: String, interrupt: Bool) { said.append(text) }
  func interrupt(requestID: String?) {}

  func update(_ request: UpdateSessionRequest) -> SessionRecord {
    record.applyLabels(of: request)
    record.applySettings(of: request)
    return record
  }

  func startVoice() throws(APIError) -> SessionRecord {
    if record.settings.voice == "mute" {
      throw APIError(.voiceUnavailable, "This agent has no voice.")
    }
    record.isVoiceOn = true
    record.modality = .voice
    return record
  }

  func stopVoice() -> SessionRecord {
    record.isVoiceOn = false
    return record
  }

  func redeemMediaToken(_ token: String) -> String? { token == "once" ? "device" : nil }

  func serveMedia(_ socket: any WebSocketConnection, participant: String) async {
    await socket.send(.text("media of \(participant)"))
    await socket.close(code: 1000, reason: "done")
  }

  func announce(_ message: TranscriptMessage) {
    emit(Frame(.messageNew, ["message": message.json]))
  }

  func flush() {}

  func rewind(to responseID: String) throws(APIError) {
    throw .responseNotFound(responseID)
  }

  func end(reason: String) async {
    guard record.state == .live else { return }
    // Ending takes its time; a cancelled sleep only shortens it.
    try? await environment.runtime.sleep(for: .milliseconds(50))
    record.state = .ended
    record.isVoiceOn = false
    record.closedAt = environment.runtime.timestamp
    record.updatedAt = environment.runtime.timestamp
    if !record.incognito {
      // A session that is deleted meanwhile has nothing left to store.
      try? await environment.store.commit([.save(record)])
    }
    emit(Frame(.left, ["reason": .string(reason)]))
    for watcher in watchers { watcher.close(code: 1000, reason: "the session ended") }
  }
}
