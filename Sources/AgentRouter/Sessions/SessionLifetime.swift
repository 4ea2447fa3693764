/// How long a live session stays open (contract part 2, "Lifetimes").
///
/// A text session ends at once when its last watcher closes it on purpose and 30 s after a dropped
/// socket; one that nobody watches ends 10 minutes after its last answer. With voice on the call
/// keeps it, so only the last of these rules holds.
struct SessionLifetime {
  /// How long a watcher that was dropped may take to come back.
  static let graceAfterDrop = Duration.seconds(30)
  /// How long a session lives that nobody watches, after its last answer.
  static let unwatched = Duration.seconds(600)

  enum Action: Equatable {
    case end
    /// Call ``timerFired(sinceLastAnswer:isBusy:)`` after this time; replaces an earlier one.
    case wait(Duration)
    case cancelTimer
  }

  private enum Waiting {
    case nothing, forWatcher, forAnswer
  }

  private(set) var watchers = 0
  private var waiting = Waiting.nothing

  /// The session was opened; nobody watches yet.
  mutating func opened() -> Action {
    waiting = .forAnswer
    return .wait(Self.unwatched)
  }

  mutating func watcherJoined() -> Action {
    watchers += 1
    waiting = .nothing
    return .cancelTimer
  }

  /// - Parameter normally: closed on purpose, not dropped.
  mutating func watcherLeft(normally: Bool, isVoiceOn: Bool) -> Action? {
    watchers -= 1
    guard watchers == 0 else { return nil }
    if isVoiceOn {
      waiting = .forAnswer
      return .wait(Self.unwatched)
    }
    if normally { return .end }
    waiting = .forWatcher
    return .wait(Self.graceAfterDrop)
  }

  /// - Parameters:
  ///   - sinceLastAnswer: time since the last answer, or since the session was opened.
  ///   - isBusy: the agent is at work.
  mutating func timerFired(sinceLastAnswer: Duration, isBusy: Bool) -> Action? {
    switch waiting {
    case .nothing: return nil
    case .forWatcher: return .end
    case .forAnswer:
      if isBusy { return .wait(Self.unwatched) }
      return sinceLastAnswer < Self.unwatched ? .wait(Self.unwatched - sinceLastAnswer) : .end
    }
  }
}
