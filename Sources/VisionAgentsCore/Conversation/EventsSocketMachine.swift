import CallTransport

/// The life of a session's events socket: opened, resumed where it broke, ended. A value.
///
/// Frames are numbered by the router; after a break the socket asks for what came after the last
/// number seen, so that every event is handed on once and in order (contract part 2, "Events").
struct EventsSocketMachine: Sendable, Equatable {
  enum Phase: Sendable, Equatable {
    case idle
    case opening
    case open
    /// Waiting before the next attempt.
    case pausing
    case ended
  }

  /// Where to go on in the router's stream.
  struct Resumption: Sendable, Equatable {
    var stream: String
    var after: UInt64
  }

  /// What the machine needs to know of a frame.
  struct FrameHead: Sendable, Equatable {
    var seq: UInt64?
    var isSnapshot = false
    var stream: String?
    var gap = false
    var isLeft = false
  }

  enum Event: Sendable, Equatable {
    /// The user starts, or wants to send something.
    case open
    case opened
    /// The router refused the upgrade for good, with this error.
    case refused(HTTPFailure, chance: UInt64)
    case unreachable(chance: UInt64)
    case frame(FrameHead)
    case closed(code: Int, reason: String, chance: UInt64)
    case tokenRenewed
    case pauseOver
    /// The user closes or deletes the session, or disconnects.
    case close
  }

  enum Action: Sendable, Equatable {
    case connect(Resumption?)
    case renewToken
    case pause(Duration)
    case disconnect
    /// Hand the frame on.
    case deliver
    /// A snapshot that starts anew: the state is the snapshot's.
    case restart
    /// Events were missed: what was said is to be read again.
    case refill
    case connected(Bool)
    /// The session, or the hope for it, is over; nil is the normal end.
    case finish(AgentsFailure?)
  }

  /// Why it was given up.
  enum AgentsFailure: Sendable, Equatable {
    case http(HTTPFailure)
    case closed(code: Int, reason: String)
    case unreachable
  }

  /// Attempts of the first opening before it fails; an open session tries for ever.
  static let firstAttempts = 4

  private(set) var phase = Phase.idle
  private var resumption: Resumption?
  private var backOff = BackOff()
  private(set) var wasOpen = false
  private var hasLeft = false
  private var tokenWasRenewed = false

  mutating func handle(_ event: Event) -> [Action] {
    switch (event, phase) {
    case (.open, .idle), (.open, .ended):
      self = EventsSocketMachine()
      phase = .opening
      return [.connect(nil)]
    case (.open, _):
      return []
    case (.close, .idle), (.close, .ended):
      phase = .ended
      return [.finish(nil)]
    case (.close, _):
      phase = .ended
      return [.disconnect, .connected(false), .finish(nil)]
    case (_, .idle), (_, .ended):
      return []  // Late news of a socket that was given up.
    case (.opened, _):
      phase = .open
      wasOpen = true
      tokenWasRenewed = false
      backOff.reset()
      return [.connected(true)]
    case (.frame(let frame), _):
      return take(frame)
    case (.refused(let failure, let chance), _):
      return refused(failure, chance: chance)
    case (.unreachable(let chance), _):
      return retry(chance: chance, failure: .unreachable)
    case (.closed(let code, let reason, let chance), _):
      return closed(code: code, reason: reason, chance: chance)
    case (.tokenRenewed, .opening), (.pauseOver, .pausing):
      phase = .opening
      return [.connect(resumption)]
    case (.tokenRenewed, _), (.pauseOver, _):
      return []
    }
  }

  private mutating func take(_ frame: FrameHead) -> [Action] {
    if frame.isLeft { hasLeft = true }
    guard frame.isSnapshot else { return number(frame) }
    guard let stream = frame.stream, let seq = frame.seq else { return [.restart, .deliver] }
    if !frame.gap, resumption?.stream == stream {
      return [.deliver]  // What follows goes on where we were; the snapshot is news to nobody.
    }
    let missed = resumption != nil
    resumption = Resumption(stream: stream, after: seq)
    return missed ? [.restart, .deliver, .refill] : [.restart, .deliver]
  }

  private mutating func number(_ frame: FrameHead) -> [Action] {
    guard let seq = frame.seq, let last = resumption else { return [.deliver] }
    guard seq > last.after else { return [] }
    resumption?.after = seq
    return [.deliver]
  }

  private mutating func refused(_ failure: HTTPFailure, chance: UInt64) -> [Action] {
    switch failure.status {
    case 401 where !tokenWasRenewed:
      tokenWasRenewed = true
      phase = .opening
      return [.renewToken]
    case 400..<500 where failure.status != 429:
      return finish(.http(failure))
    default:
      return retry(chance: chance, failure: .http(failure))
    }
  }

  private mutating func closed(code: Int, reason: String, chance: UInt64) -> [Action] {
    if hasLeft || code == 1000 { return finish(nil) }
    switch code {
    case 4401 where !tokenWasRenewed:  // The token expired in mid-socket.
      tokenWasRenewed = true
      phase = .opening
      return [.connected(false), .renewToken]
    case 4008:  // We read too slowly; the router has what we missed.
      phase = .opening
      return [.connected(false), .connect(resumption)]
    case 4400..<4500 where code != 4429:  // What an upgrade could not be refused for: 4404 is 404.
      return finish(.http(HTTPFailure(status: code - 4000, message: reason, code: reason)))
    default:
      return [.connected(false)]
        + retry(chance: chance, failure: .closed(code: code, reason: reason))
    }
  }

  private mutating func retry(chance: UInt64, failure: AgentsFailure) -> [Action] {
    if !wasOpen, backOff.attempts + 1 >= Self.firstAttempts { return finish(failure) }
    phase = .pausing
    // By the next attempt the token may have expired again: an outage can last for days.
    tokenWasRenewed = false
    return [.pause(backOff.next(chance: chance))]
  }

  private mutating func finish(_ failure: AgentsFailure?) -> [Action] {
    phase = .ended
    return [.connected(false), .finish(failure)]
  }
}
