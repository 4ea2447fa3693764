import CVoiceDSP
import Foundation
import Networking
import Providers
public import SessionsModel
public import Stores

/// One session while it is live: the driver of its turns, its call and its watchers.
///
/// What happens next is decided by values (``TurnStateMachine``, ``EndpointDetector``, ``CallRoom``);
/// this actor carries it out. Role: the runtime's executor.
public actor LiveSession: SessionHolder {
  /// Silence of a model, inside a turn, after which the turn fails.
  static let modelSilenceLimit = Duration.seconds(12)
  /// Requests remembered for repetition, beyond those in the store.
  static let requestsRemembered = 256

  let environment: RouterEnvironment
  nonisolated let runtime: any Runtime
  public internal(set) var record: SessionRecord
  var agent: AgentConfiguration
  var log: EventLog
  var fold = Conversation()
  var watchers: [EventWatcher] = []
  var turns = TurnStateMachine()
  var reply: ReplyState?
  /// Turns that were accepted and have not begun, by id.
  var accepted: [String: TurnRecord] = [:]
  /// The newest turns by request id, so that a repeated request starts no second turn.
  var requests: [(id: String, record: TurnRecord)] = []
  var history: History
  var tools = PendingTools()
  var room = CallRoom()
  var mediaCall: MediaCall?
  var media: [String: MediaPump] = [:]
  /// Speech that was due while the listener's media were down, oldest first.
  var heldSpeech: [vd_packet] = []
  var hearing: Hearing
  /// Utterances whose words are being found, by number.
  var recognitions: [Int: Recognition] = [:]
  /// The reply whose voice the device holds because somebody speaks over it.
  var heldGeneration: UInt32?
  /// Voices that failed, by their place in the chain, and until when they are left alone.
  var voicesAtRest: [Int: MonotonicInstant] = [:]
  /// Words whose answer was taken back because the person went on, and how often that was so.
  var saidBefore: SaidBefore?
  var takenBack = 0
  /// The reply that was cut last, until the device has said how much of it was heard.
  var cutReply: CutReply?
  /// The answer to words that may not be the last.
  var ahead: AnswerAhead?
  var aheadCounters = AheadCounters()
  /// Pauses that nobody could judge: they ended by their silence alone.
  var unjudgedPauses = 0
  /// Whether the recogniser has closed a sentence with a stop: then one without is not over.
  var isPunctuated = false
  var lastLevels: MonotonicInstant?
  var lastGeneration: UInt32 = 0
  var hasGreeted = false
  /// The agent says its last words on the call.
  var isLeavingCall = false
  var isEnding = false
  /// The request that names the session.
  var naming: Task<Void, Never>?
  /// Facts about the user from earlier sessions.
  ///
  /// Nil until they were read. Read beside the conversation: no answer but the first waits for a disk.
  var recalled: [String]?
  /// What was spent and is in no cost total yet.
  var unbilled = SessionUsage()
  var unbilledMessages = 0
  /// Calls whose turn was cut before their result came, newest last.
  var abandonedCalls: [AbandonedCall] = []
  /// Skills at work, by the id of their call.
  var skillTasks: [String: SkillTask] = [:]
  /// Tells watchers of what could not be kept; nobody waits for most writes.
  private(set) lazy var writer = SessionWriter(
    runtime: runtime, store: record.incognito ? nil : environment.store,
    onWriting: { [unwritten = environment.unwritten, app = record.app, owner = record.owner] in
      if $1 { unwritten.began($0, app: app, owner: owner) } else { unwritten.ended($0) }
    }
  ) { [weak self] error in
    self?.assumeIsolated { $0.couldNotStore(error) }
  }

  /// Costs are kept even where nothing else is.
  private(set) lazy var costs =
    record.incognito
    ? SessionWriter(runtime: runtime, store: environment.store) { [environment] error in
      environment.onLog("Costs could not be kept: \(error)")
    } : writer

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    runtime.executor.asUnownedSerialExecutor()
  }

  /// - Parameter history: the recorded turns, oldest first.
  public init(
    record: SessionRecord, agent: AgentConfiguration, history: [RecordedTurn],
    environment: RouterEnvironment
  ) {
    self.record = record
    self.agent = agent
    self.environment = environment
    runtime = environment.runtime
    self.history = History(recorded: history)
    hearing = Hearing(agent.turn)
    log = EventLog(stream: environment.runtime.makeID())
  }

  public var state: ConversationState { fold.state }

  // MARK: Events

  /// Numbers, keeps and shows a frame, and follows it in the session's own state.
  func emit(_ type: FrameType, _ fields: [String: JSONValue] = [:], of turn: Turn? = nil) {
    if turn?.isFiller == true, type != .error { return }
    var frame = Frame(type, fields)
    if let turn {
      frame["turn_id"] = .string(turn.id)
      frame["request_id"] = .string(turn.requestID)
    }
    show(frame)
    guard fold.apply(frame) else { return }
    show(
      Frame(
        .sessionState,
        [
          "state": .string(fold.state.name),
          "skills": .array(fold.state.skills.map { .string($0) }),
        ]))
  }

  private func show(_ frame: Frame) {
    var shared = SharedFrame(log.append(frame))
    for watcher in watchers { watcher.offer(&shared) }
  }

  func emitError(_ failure: TurnFailure, of turn: Turn? = nil, fallback: String? = nil) {
    var fields: [String: JSONValue] = [
      "context": .string(failure.context.rawValue), "error": .string(failure.sentence),
    ]
    if let fallback { fields["fallback"] = .string(fallback) }
    emit(.error, fields, of: turn)
  }

  /// An error that concerns one watcher's command only.
  func refuse(_ watcher: EventWatcher, _ error: APIError, requestID: String?) {
    var fields: [String: JSONValue] = [
      "context": "command", "error": .string(error.message), "code": .string(error.code.rawValue),
    ]
    if let requestID { fields["request_id"] = .string(requestID) }
    watcher.offer(Frame(.error, fields))
  }

  var now: Date { runtime.timestamp }

  var timestampValue: JSONValue { .string(RFC3339.string(from: now)) }

  // MARK: End

  /// Ends the session: cuts what runs, lets everybody go, and stores how it ended.
  public func end(reason: String) async {
    guard !isEnding else { return }
    isEnding = true
    stopNaming()
    perform(turns.end())
    cancelListening()
    await leaveCall(reason: reason)
    record.state = .ended
    record.isVoiceOn = false
    record.closedAt = now
    record.updatedAt = now
    record.isLookBackDue = !record.incognito
    emit(.left, ["at": timestampValue])
    for watcher in watchers { watcher.close(code: 1000, reason: "the session ended") }
    watchers.removeAll()
    bill()
    let ticket = writer.write([.save(record)])
    do throws(StoreError) {
      try await writer.written(ticket)
      if record.incognito { try await costs.flush() }
    } catch {
      // Nobody is left to be told; the recovery at the next start marks the session ended.
    }
  }
}
