import Networking

/// The life of one worker: started, ready, lost and started again.
struct WorkerLifecycle {
  enum State: Equatable {
    case stopped
    /// The process runs and has not said `ready`.
    case starting
    case ready(WorkerReady)
    /// Lost; the next start waits for the back-off.
    case backingOff
  }

  enum Action: Equatable {
    case launch
    /// A worker that is not ready when this has passed is given up.
    case armStartLimit
    case kill
    /// Requests that wait for a ready worker go on.
    case admitRequests
    /// Every request in work fails.
    case failRequests(ProviderError)
    case relaunch(after: Duration)
    /// An episode begins: tell people.
    case report(String)
  }

  static let firstBackOff = Duration.milliseconds(100)
  static let longestBackOff = Duration.seconds(10)

  private(set) var state = State.stopped
  /// Starts after the first one.
  private(set) var restarts = 0
  /// Losses since a request last succeeded.
  private(set) var losses = 0
  /// Why the worker is not there, as a sentence; nil while nothing is known to be wrong.
  private(set) var trouble: String?
  private let name: String
  private var startupError: String?
  private var hasLaunched = false

  init(name: String) {
    self.name = name
  }

  mutating func start() -> [Action] {
    guard state == .stopped else { return [] }
    return launch()
  }

  mutating func becameReady(_ ready: WorkerReady) -> [Action] {
    guard state == .starting else { return [] }
    state = .ready(ready)
    startupError = nil
    trouble = nil
    return [.admitRequests]
  }

  /// The worker said why it cannot start; its end follows.
  mutating func reportedStartupError(_ message: String) -> [Action] {
    guard state == .starting else { return [] }
    startupError = message
    return []
  }

  /// A request ended as it should: the worker is well again.
  mutating func requestSucceeded() {
    losses = 0
  }

  /// The process ended by itself, or could not be started.
  mutating func ended(_ reason: String) -> [Action] {
    guard state != .stopped, state != .backingOff else { return [] }
    if let startupError { return lose(startupError, kill: false) }
    return lose("The \(name) worker ended (\(reason)).", kill: false)
  }

  mutating func wroteBrokenFrame(_ reason: String) -> [Action] {
    guard state != .stopped, state != .backingOff else { return [] }
    return lose("The \(name) worker wrote \(reason) and was ended.", kill: true)
  }

  mutating func startLimitPassed(_ limit: Duration) -> [Action] {
    guard state == .starting else { return [] }
    return lose(
      "The \(name) worker was not ready after \(limit.wholeMilliseconds) ms and was ended.",
      kill: true)
  }

  mutating func silenceLimitPassed(_ limit: Duration) -> [Action] {
    guard case .ready = state else { return [] }
    return lose(
      "The \(name) worker said nothing for \(limit.wholeMilliseconds) ms and was ended.", kill: true
    )
  }

  mutating func backOffPassed() -> [Action] {
    guard state == .backingOff else { return [] }
    return launch()
  }

  mutating func stop() -> [Action] {
    guard state != .stopped else { return [] }
    let runs = state != .backingOff
    state = .stopped
    let gone = ProviderError.unavailable("The \(name) worker was stopped.")
    return (runs ? [.kill] : []) + [.failRequests(gone)]
  }

  private mutating func launch() -> [Action] {
    if hasLaunched { restarts += 1 }
    hasLaunched = true
    state = .starting
    startupError = nil
    return [.launch, .armStartLimit]
  }

  private mutating func lose(_ sentence: String, kill: Bool) -> [Action] {
    let doublings = min(losses, 7)
    let wait = min(Self.firstBackOff * (1 << doublings), Self.longestBackOff)
    losses += 1
    let isNews = trouble != sentence
    trouble = sentence
    state = .backingOff
    return (kill ? [.kill] : []) + [.failRequests(.unavailable(sentence))]
      + (isNews ? [.report(sentence)] : []) + [.relaunch(after: wait)]
  }
}

extension Duration {
  var wholeMilliseconds: Int64 { nanoseconds / 1_000_000 }
}
