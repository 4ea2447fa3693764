import Providers
import Stores

/// Whose turn it is: one reply at a time, the others wait in order.
///
/// A driver carries out the actions and reports what came of them; a report about a turn that is
/// not running any more is ignored.
struct TurnStateMachine {
  enum Action: Equatable {
    /// Tell people that this turn is being answered.
    case begin(Turn)
    /// Ask the model; `step` counts the requests of the turn from 0.
    case askModel(turnID: String, step: Int)
    /// Speak or write the words of a `say`.
    case speakWords(Turn)
    case runTools(turnID: String, calls: [ModelToolCall])
    /// The last words are known: end the speech and report when it was heard.
    case endSpeech(turnID: String)
    case reportFailure(turnID: String, failure: TurnFailure)
    /// Stop model, tools and speech at once, and keep what was heard.
    case cut(turnID: String)
    case finish(turnID: String, outcome: Outcome)
    /// A turn that never began.
    case drop(Turn)
    /// Nothing to interrupt.
    case ignoreInterrupt(requestID: String?)
  }

  enum Outcome: Equatable {
    case completed
    case failed(String)
    case cancelled
  }

  private enum Phase: Equatable {
    case thinking(step: Int)
    case usingTools(step: Int)
    /// All is said; it is still to be heard.
    case sounding(Outcome)
  }

  /// Turns that may wait.
  static let waitingAtMost = 32
  /// Requests to the model in one turn: tools are not called without end.
  static let stepsAtMost = 8

  private(set) var running: Turn?
  private var phase = Phase.thinking(step: 0)
  private(set) var waiting: [Turn] = []

  /// Whether a typed turn is running or waiting (R93).
  var hasTypedTurn: Bool {
    (waiting + (running.map { [$0] } ?? [])).contains { $0.origin == .typed }
  }

  /// Whether this turn waits for its model's answer to a step.
  func isThinking(_ turnID: String, step: Int) -> Bool {
    isRunning(turnID) && phase == .thinking(step: step)
  }

  /// Adds a turn.
  ///
  /// - Returns: nil when too many are waiting; the turn is then refused.
  mutating func submit(_ turn: Turn) -> [Action]? {
    guard running != nil else { return start(turn) }
    guard waiting.count < Self.waitingAtMost else { return nil }
    waiting.append(turn)
    return []
  }

  /// Adds a turn that goes before all others: the running one is cut (somebody speaks, or `say`
  /// with `interrupt`).
  mutating func preempt(with turn: Turn) -> [Action] {
    let cut = cutRunning()
    return cut + start(turn)
  }

  /// The model's answer to one step is complete.
  mutating func modelAnswered(_ turnID: String, calls: [ModelToolCall]) -> [Action] {
    guard isRunning(turnID), case .thinking(let step) = phase else { return [] }
    guard !calls.isEmpty else { return sound(.completed) }
    guard step + 1 < Self.stepsAtMost else {
      return failed(turnID, TurnFailure(.model, "The model called tools \(step + 1) times."))
    }
    phase = .usingTools(step: step)
    return [.runTools(turnID: turnID, calls: calls)]
  }

  /// Every tool of the step has a result.
  mutating func toolsSettled(_ turnID: String) -> [Action] {
    guard isRunning(turnID), case .usingTools(let step) = phase else { return [] }
    phase = .thinking(step: step + 1)
    return [.askModel(turnID: turnID, step: step + 1)]
  }

  /// The words of a `say` were handed on.
  mutating func wordsSpoken(_ turnID: String) -> [Action] {
    guard isRunning(turnID), case .thinking = phase else { return [] }
    return sound(.completed)
  }

  mutating func failed(_ turnID: String, _ failure: TurnFailure) -> [Action] {
    guard isRunning(turnID) else { return [] }
    if case .sounding = phase { return [] }
    return [.reportFailure(turnID: turnID, failure: failure)] + sound(.failed(failure.sentence))
  }

  /// What was said has been heard, or there is nobody to hear it.
  mutating func sounded(_ turnID: String) -> [Action] {
    guard isRunning(turnID), case .sounding(let outcome) = phase else { return [] }
    running = nil
    return [.finish(turnID: turnID, outcome: outcome)] + startNext()
  }

  /// - Parameter requestID: only the reply to this request; nil takes the one in progress.
  mutating func interrupt(requestID: String?) -> [Action] {
    if let running, requestID == nil || running.requestID == requestID {
      return cutRunning() + startNext()
    }
    if let requestID, let index = waiting.firstIndex(where: { $0.requestID == requestID }) {
      return [.drop(waiting.remove(at: index))]
    }
    return [.ignoreInterrupt(requestID: requestID)]
  }

  /// Ends everything: the session is closed.
  mutating func end() -> [Action] {
    let cut = cutRunning()
    defer { waiting.removeAll() }
    return cut + waiting.map { .drop($0) }
  }

  private func isRunning(_ turnID: String) -> Bool { running?.id == turnID }

  private mutating func start(_ turn: Turn) -> [Action] {
    running = turn
    phase = .thinking(step: 0)
    return [
      .begin(turn), turn.origin == .say ? .speakWords(turn) : .askModel(turnID: turn.id, step: 0),
    ]
  }

  private mutating func startNext() -> [Action] {
    waiting.isEmpty ? [] : start(waiting.removeFirst())
  }

  private mutating func sound(_ outcome: Outcome) -> [Action] {
    guard let running else { return [] }
    phase = .sounding(outcome)
    return [.endSpeech(turnID: running.id)]
  }

  private mutating func cutRunning() -> [Action] {
    guard let turn = running else { return [] }
    running = nil
    return [.cut(turnID: turn.id), .finish(turnID: turn.id, outcome: .cancelled)]
  }
}
