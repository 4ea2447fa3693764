/// A device's way onto a call, and back onto it: values in, actions out.
///
/// Signalling goes over the session's events socket, which lives and resumes by itself; this machine
/// only hears that it broke or came back. Once a call was joined it is never given up while the user
/// has not left: a device unattended for months rejoins whenever the router is there again.
public struct CallStateMachine: Sendable, Equatable {
  public enum Phase: Sendable, Equatable {
    case idle
    case joining
    case joined
    /// Was joined; the events socket or the media broke.
    case reconnecting
    case left
  }

  public enum Event: Sendable, Equatable {
    /// The user joins.
    case join
    /// The router answered `call.joined`; `media` is the path of the media WebSocket.
    case answered(media: String)
    /// The events socket came back to a router that knows nothing of before: it was restarted, and
    /// with it ended the call.
    case routerRestarted
    /// The agent is on the call again.
    case voiceStarted
    /// It could not be asked for.
    case voiceLost(chance: UInt64)
    /// The router answered `call.error`.
    case refused(code: String, message: String)
    case mediaOpened
    /// The media WebSocket could not be opened, or closed.
    case mediaLost(chance: UInt64)
    /// Nothing answered `call.join` in time.
    case answerOverdue(chance: UInt64)
    /// The events socket broke.
    case signallingLost
    /// The events socket works again.
    case signallingResumed
    case pauseOver
    /// The router ended the call: `taken_over`, `voice_stopped`, `session_ended`, ...
    case ended(reason: String)
    /// The user leaves.
    case leave
  }

  public enum Action: Sendable, Equatable {
    /// Send `call.join`, and ``Event/answerOverdue(chance:)`` if nothing answers in time.
    case announceJoin
    case openMedia(path: String)
    case closeMedia
    /// Wait, then ``Event/pauseOver``.
    case pause(Duration)
    /// Ask the router to put the agent on the call again, then ``Event/voiceStarted`` or
    /// ``Event/voiceLost(chance:)``.
    case askForVoice
    /// Send `call.leave`.
    case announceLeave
    case enter(Phase)
    /// The call is over, not by the user's wish.
    case fail(CallFailure)
  }

  /// Attempts of the first join before it fails; a joined call tries for ever.
  public static let firstJoinAttempts = 5

  public private(set) var phase = Phase.idle
  /// The events socket works.
  public private(set) var isSignallingUp = true
  private var backOff = BackOff()
  private var isPausing = false
  /// The call ended with a router, not by anybody's wish: voice may be asked for again.
  private var mayAskForVoice = false

  public init() {}

  /// Takes one event; returns what is to be done, in order.
  public mutating func handle(_ event: Event) -> [Action] {
    switch (event, phase) {
    case (.join, .idle), (.join, .left):
      backOff.reset()
      phase = .joining
      return [.enter(.joining)] + announceJoin()
    case (.join, _):
      return []

    case (.leave, .idle), (.leave, .left):
      return []
    case (.leave, _):
      return finish([.announceLeave])

    case (_, .idle), (_, .left):
      return []  // Late news of a call that is over.

    case (.answered(let media), .joining), (.answered(let media), .reconnecting):
      return [.openMedia(path: media)]
    case (.answered, .joined):
      return []

    case (.mediaOpened, .joining), (.mediaOpened, .reconnecting):
      backOff.reset()
      mayAskForVoice = false
      phase = .joined
      return [.enter(.joined)]
    case (.mediaOpened, .joined):
      return []

    case (.refused("voice_off", _), _) where mayAskForVoice:
      mayAskForVoice = false
      return [.askForVoice]
    case (.voiceStarted, .joined):
      return []
    case (.voiceStarted, _):
      return isPausing ? [] : announceJoin()
    case (.voiceLost(let chance), _):
      mayAskForVoice = true
      return retry(chance: chance)
    case (.routerRestarted, .joined), (.routerRestarted, .reconnecting):
      mayAskForVoice = true
      return []
    case (.routerRestarted, _):
      return []

    case (.refused(let code, let message), _):
      return finish([.fail(.refused(code: code, message: message))])
    case (.ended(let reason), _):
      return finish([.fail(reason == "taken_over" ? .takenOver : .ended(reason: reason))])

    case (.mediaLost(let chance), _), (.answerOverdue(let chance), _):
      return retry(chance: chance)

    case (.signallingLost, _):
      isSignallingUp = false
      // The media may well live on: leave it until the router says otherwise.
      return []
    case (.signallingResumed, _):
      isSignallingUp = true
      // The router keeps our place for 30 s and must learn on which socket we are now; media that
      // still flow go on.
      return isPausing ? [] : announceJoin()

    case (.pauseOver, .joined):
      return []
    case (.pauseOver, _):
      isPausing = false
      return announceJoin()
    }
  }

  private func announceJoin() -> [Action] {
    isSignallingUp ? [.announceJoin] : []
  }

  private mutating func retry(chance: UInt64) -> [Action] {
    guard !isPausing else { return [] }
    if phase == .joining, backOff.attempts + 1 >= Self.firstJoinAttempts {
      return finish([.fail(.unreachable(attempts: Self.firstJoinAttempts))])
    }
    var actions: [Action] = [.closeMedia]
    if phase == .joined {
      phase = .reconnecting
      actions.append(.enter(.reconnecting))
    }
    isPausing = true
    return actions + [.pause(backOff.next(chance: chance))]
  }

  private mutating func finish(_ first: [Action]) -> [Action] {
    phase = .left
    isPausing = false
    return first + [.closeMedia, .enter(.left)]
  }
}
