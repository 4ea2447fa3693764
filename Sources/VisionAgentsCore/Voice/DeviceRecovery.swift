import CallTransport
import Networking

/// What becomes of a sound device that was lost during a call: it is closed at once (a card whose
/// handles stay open keeps its name and comes back under another), looked for whenever cards change
/// and with growing pauses in between, and goes on with the same core when it is there. One that was
/// not there at the start is looked for in the same way; one of which a side is gone stays open, and
/// its opening takes back that side.
///
/// A value without I/O; ``CallConnection`` carries the actions out.
struct DeviceRecovery: Sendable, Equatable {
  enum Event: Sendable, Equatable {
    /// The device is open and runs.
    case opened(at: MonotonicInstant)
    case lost(reason: String, at: MonotonicInstant)
    /// One side is gone and the other goes on.
    case partlyLost(reason: String, at: MonotonicInstant)
    /// It was not there at the start.
    case missing(reason: String, at: MonotonicInstant, chance: UInt64)
    case closed(chance: UInt64)
    /// A sound card came or went, or may be opened now.
    case cardsChanged
    case refused(reason: String, chance: UInt64)
    /// The pause of this number is over.
    case pauseOver(Int)
    /// Nobody wants the device any more.
    case released
  }

  enum Action: Sendable, Equatable {
    case close
    case open
    case pause(Duration, number: Int)
    /// Drop the speech that has waited: it would come too late.
    case dropSpeech
    case tell(SoundDeviceState)
  }

  /// Longest pause between two attempts: a device is found within a second of its return, also where
  /// nothing tells of cards. An attempt for a card that is not there only reads a folder.
  static let longestPause = Duration.milliseconds(900)
  /// A device that runs no longer than this before it is lost again did not come back for good.
  static let steadyAfter = Duration.seconds(5)
  /// Speech that has waited for longer is not spoken any more.
  static let speechPatience = Duration.seconds(10)

  private enum Phase: Sendable, Equatable {
    case idle, running, closing, opening, pausing
  }

  /// Times the device was lost, attempts to get it back, and times it came back.
  private(set) var losses = 0
  private(set) var attempts = 0
  private(set) var returns = 0
  private var phase = Phase.idle
  private var backOff = BackOff(first: .milliseconds(200), limit: longestPause)
  private var runsSince: MonotonicInstant?
  private var lostAt: MonotonicInstant?
  private var hasNews = false
  private var pauses = 0
  /// The other side goes on meanwhile.
  private var isPartial = false
  /// What befell the device before its opening was told.
  private var early: Event?

  var isLost: Bool { lostAt != nil }

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .opened(let now): return opened(at: now)
    case .lost(let reason, let now): return lost(reason, at: now, event)
    case .partlyLost(let reason, let now): return partlyLost(reason, at: now, event)
    case .missing(let reason, let now, let chance):
      guard phase == .idle else { return [] }
      lostAt = now
      return [.tell(.lost(reason: reason)), pause(chance)]
    case .closed(let chance):
      guard phase == .closing else { return [] }
      return backOff.attempts == 0 || hasNews ? [open()] : [pause(chance)]
    case .cardsChanged: return cardsChanged()
    case .refused(let reason, let chance):
      guard phase == .opening else { return [] }
      // What changed while it was being opened may be what was missing.
      return [.tell(.lost(reason: reason)), hasNews ? open() : pause(chance)]
    case .pauseOver(let number):
      return phase == .pausing && number == pauses ? [open()] : []
    case .released:
      phase = .idle
      lostAt = nil
      hasNews = false
      isPartial = false
      early = nil
      backOff.reset()
      return []
    }
  }

  private mutating func opened(at now: MonotonicInstant) -> [Action] {
    // Of an attempt to take a side back, and the rest went meanwhile.
    guard phase == .idle || phase == .opening else { return [] }
    let away = lostAt.map { now - $0 }
    phase = .running
    runsSince = now
    lostAt = nil
    isPartial = false
    var actions: [Action] = []
    if let away {
      returns += 1
      if away > Self.speechPatience { actions.append(.dropSpeech) }
    }
    actions.append(.tell(.present))
    guard let early else { return actions }
    self.early = nil
    return actions + handle(early)
  }

  private mutating func lost(
    _ reason: String, at now: MonotonicInstant, _ event: Event
  ) -> [Action] {
    guard phase == .running || isPartial else { return remembering(event) }
    losses += 1
    phase = .closing
    hasNews = false
    isPartial = false
    lostAt = lostAt ?? now
    if let runsSince, now - runsSince >= Self.steadyAfter { backOff.reset() }
    return [.tell(.lost(reason: reason)), .close]
  }

  private mutating func partlyLost(
    _ reason: String, at now: MonotonicInstant, _ event: Event
  ) -> [Action] {
    guard phase == .running else { return remembering(event) }
    losses += 1
    isPartial = true
    lostAt = now
    if let runsSince, now - runsSince >= Self.steadyAfter { backOff.reset() }
    return [.tell(.lost(reason: reason)), open()]
  }

  /// The device may tell of its loss before the one who opens it tells that it is open.
  private mutating func remembering(_ event: Event) -> [Action] {
    if phase == .opening, !isPartial { early = event }
    return []
  }

  private mutating func cardsChanged() -> [Action] {
    switch phase {
    case .idle, .running: return []
    case .closing, .opening:
      hasNews = true
      return []
    case .pausing:
      backOff.reset()
      return [open()]
    }
  }

  private mutating func open() -> Action {
    phase = .opening
    hasNews = false
    early = nil
    attempts += 1
    return .open
  }

  private mutating func pause(_ chance: UInt64) -> Action {
    phase = .pausing
    pauses += 1
    return .pause(backOff.next(chance: chance), number: pauses)
  }
}
