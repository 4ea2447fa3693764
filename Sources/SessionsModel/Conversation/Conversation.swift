/// Folds a session's frames into what the agent is doing (contract part 2, "The fold").
///
/// The router folds the frames it sends and the SDK those it receives, so both say the same. It
/// keeps the set of running turns: a new frame of one turn never ends another.
public struct Conversation: Sendable, Hashable {
  /// How far a running turn is.
  private enum Phase: String {
    /// The model is at it.
    case answering
    /// Tools or skills are outstanding.
    case pending
    /// The model has finished; the reply is still to be heard on the call.
    case sounding
  }

  private var turns: [String: Phase] = [:]
  /// Skill by task id.
  private var tasks: [String: String] = [:]
  /// Devices on the call, by participant id.
  private var participants: Set<String> = []
  private var isListening = false
  private var hasEnded = false

  public init() {}

  public var state: ConversationState {
    if hasEnded { return .ended }
    if isListening { return .listening }
    if turns.values.contains(where: { $0 == .answering || $0 == .sounding }) { return .responding }
    if !tasks.isEmpty { return .working(skills) }
    return turns.isEmpty ? .idle : .responding
  }

  /// The skills at work, each once, in ascending order.
  public var skills: [String] {
    Set(tasks.values).sorted()
  }

  public var runningTurns: [String] { turns.keys.sorted() }

  /// Turns whose words are all known and still to be heard on the call.
  public var soundingTurns: [String] {
    turns.filter { $0.value == .sounding }.map(\.key).sorted()
  }

  /// Takes in one frame.
  ///
  /// - Returns: whether `state` changed.
  @discardableResult
  public mutating func apply(_ frame: Frame) -> Bool {
    let before = state
    // Stragglers of an ended life must not reach into the next one.
    if hasEnded, frame.type != .joined, frame.type != .snapshot { return false }
    switch frame.type {
    case .joined: hasEnded = false
    case .left: end()
    case .snapshot: restore(frame)
    case .participantJoined: participants.insert(Self.participant(of: frame))
    case .participantLeft: participantLeft(Self.participant(of: frame))
    case .hearing, .heard: isListening = true
    case .decision: decided(frame["kind"]?.stringValue)
    case .backchannel: isListening = false
    case .responding, .responseDelta: answering(frame)
    case .responded: responded(frame)
    // `turn` is the last frame of every turn: one that was never reported as heard, or had nothing
    // to be heard, is over too.
    case .heardOut, .interrupted, .turn: frame.turnID.map { finish($0) }
    case .error: failed(frame)
    case .delegated: delegated(frame)
    case .taskSettled, .taskCancelled: frame["task_id"]?.stringValue.map { tasks[$0] = nil }
    default: break
    }
    return state != before
  }

  private mutating func end() {
    self = Conversation()
    hasEnded = true
  }

  /// Nothing will come of what was heard: the agent waits, ignores it, or only murmurs.
  private mutating func decided(_ kind: String?) {
    if kind == "wait" || kind == "ignore" || kind == "backchannel" { isListening = false }
  }

  private mutating func answering(_ frame: Frame) {
    isListening = false
    if let turn = frame.turnID { turns[turn] = .answering }
  }

  private mutating func responded(_ frame: Frame) {
    guard let turn = frame.turnID else { return }
    if frame["pending_work"]?.boolValue == true {
      turns[turn] = .pending
    } else if participants.isEmpty {
      turns[turn] = nil
    } else if turns[turn] != nil {
      turns[turn] = .sounding
    }
  }

  private mutating func finish(_ turn: String) {
    turns[turn] = nil
  }

  /// An error ends its own turn; one of the recogniser means that nothing will be heard.
  private mutating func failed(_ frame: Frame) {
    if let turn = frame.turnID {
      turns[turn] = nil
    } else if frame["context"]?.stringValue == "stt" {
      isListening = false
    }
  }

  private mutating func delegated(_ frame: Frame) {
    guard let task = frame["task_id"]?.stringValue else { return }
    tasks[task] = frame["skill"]?.stringValue ?? ""
  }

  /// With the last device gone nobody will report that a reply was heard.
  private mutating func participantLeft(_ participant: String) {
    participants.remove(participant)
    if participants.isEmpty {
      isListening = false
      turns = turns.filter { $0.value != .sounding }
    }
  }

  private static func participant(of frame: Frame) -> String {
    frame["participant"]?["id"]?.stringValue ?? ""
  }
}

// What a snapshot carries, so that a watcher that comes later folds on from the same point.
extension Conversation {
  /// The fields `state`, `skills`, `turns`, `tasks` and `participants` of a `snapshot` frame.
  public var snapshotFields: [String: JSONValue] {
    [
      "state": .string(state.name),
      "skills": .array(skills.map { .string($0) }),
      "listening": .bool(isListening),
      "turns": .object(turns.mapValues { .string($0.rawValue) }),
      "tasks": .object(tasks.mapValues { .string($0) }),
      "participants": .array(participants.sorted().map { .string($0) }),
    ]
  }

  private mutating func restore(_ frame: Frame) {
    self = Conversation()
    hasEnded = frame["state"]?.stringValue == "ended"
    isListening = frame["listening"]?.boolValue ?? (frame["state"]?.stringValue == "listening")
    for (turn, phase) in frame["turns"]?.objectValue ?? [:] {
      turns[turn] = phase.stringValue.flatMap(Phase.init(rawValue:))
    }
    for (task, skill) in frame["tasks"]?.objectValue ?? [:] {
      tasks[task] = skill.stringValue
    }
    participants = Set((frame["participants"]?.arrayValue ?? []).compactMap(\.stringValue))
  }
}
