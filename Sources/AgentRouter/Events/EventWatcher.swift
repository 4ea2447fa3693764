public import Networking
public import SessionsModel
import Synchronization

/// One watcher of a session: the bounded queue between the session and its socket.
///
/// The session offers frames and never waits; the socket takes them. A watcher that falls behind
/// by more than the bound is closed with 4008 and comes back by its number; nobody waits for it.
public final class EventWatcher: Sendable, Identifiable {
  /// What the socket does next.
  public enum Step: Sendable, Hashable {
    case send(Frame)
    case close(code: Int, reason: String)
  }

  private struct State {
    var queue = WatcherQueue()
    var waiting: CheckedContinuation<Step?, Never>?
  }

  /// Unique within the router.
  public let id: String
  public let caller: Caller
  public let options: WatchOptions
  private let socket: (any WebSocketConnection)?
  private let state = Mutex(State())
  private let tools: Mutex<Set<String>>

  /// - Parameter socket: where frames go at once while it keeps up; nil = all are taken by
  ///   ``next()``.
  public init(
    id: String, caller: Caller, options: WatchOptions,
    socket: (any WebSocketConnection)? = nil
  ) {
    self.socket = socket
    self.id = id
    self.caller = caller
    self.options = options
    tools = Mutex(options.tools)
  }

  /// Names of the tools this watcher declared; a `tool_call` goes to nobody else.
  public var declaredTools: Set<String> {
    get { tools.withLock { $0 } }
    set { tools.withLock { $0 = newValue } }
  }

  /// Frames that wait for the socket.
  public var waitingFrames: Int { state.withLock { $0.queue.count } }

  /// Queues a frame if the watcher wants it, as its version of the protocol shows it.
  public func offer(_ frame: Frame) {
    guard options.wants(frame) else { return }
    update { $0.append(shown(frame)) }
  }

  /// The same for a frame that goes to many. To a socket that waits for it the frame goes at once:
  /// waking its task would cost as much as the write.
  func offer(_ shared: inout SharedFrame) {
    guard options.isAmong(shared.audience) else { return }
    // A task that waits has sent everything that was queued before.
    if let socket, state.withLock({ $0.waiting != nil }),
      let message = shared.message(numbered: options.isVersion2), socket.sendNow(message)
    {
      return
    }
    update { $0.append(shown(shared.frame)) }
  }

  /// Queues what the watcher missed; not counted against the bound, which is for what comes after.
  public func replay(_ frames: [Frame]) {
    let wanted = frames.filter { options.wants($0) }.map(shown)
    update { $0.replay(wanted) }
  }

  /// Closes the socket after everything queued; later frames are dropped.
  public func close(code: Int, reason: String) {
    update { $0.close(code: code, reason: reason) }
  }

  /// The socket is gone: nothing more is taken.
  public func abandon() {
    update { $0.abandon() }
  }

  /// The next step of the socket; nil once `.close` was taken or the watcher was abandoned.
  ///
  /// One caller at a time.
  public func next() async -> Step? {
    await withCheckedContinuation { continuation in
      let step: Step?? = state.withLock { state in
        if let step = state.queue.take() { return .some(step) }
        if state.queue.isClosing { return .some(nil) }
        precondition(state.waiting == nil, "a watcher has one socket")
        state.waiting = continuation
        return nil
      }
      if let step { continuation.resume(returning: step) }
    }
  }

  private func shown(_ frame: Frame) -> Frame {
    options.isVersion2 ? frame : frame.withoutSequence
  }

  /// Changes the queue and hands what is first to a waiting socket.
  private func update(_ change: (inout WatcherQueue) -> Void) {
    let resumption = state.withLock { state -> (CheckedContinuation<Step?, Never>, Step?)? in
      change(&state.queue)
      guard let waiting = state.waiting else { return nil }
      let step = state.queue.take()
      guard step != nil || state.queue.isClosing else { return nil }
      state.waiting = nil
      return (waiting, step)
    }
    resumption?.0.resume(returning: resumption?.1)
  }
}
