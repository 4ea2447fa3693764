import Networking
import Stores
import Synchronization

/// Writes a session's changes behind its back, in order: nothing on the way to the speaker waits
/// for a disk, and who promises durability waits for ``written(_:)``.
///
/// Bound: 4,096 changes; beyond it new ones are dropped and counted, and the next waiter is told.
final class SessionWriter: Sendable {
  /// A place in the order of writes.
  typealias Ticket = UInt64

  static let waitingAtMost = 4_096

  private struct State {
    var waiting: [StoreChange] = []
    var lastTicket: Ticket = 0
    var isWriting = false
    var waiters: [(Ticket, CheckedContinuation<StoreError?, Never>)] = []
    /// The newest failure and the first ticket it hit.
    var failure: (ticket: Ticket, error: StoreError)?
    var writtenTicket: Ticket = 0
    /// The newest write was lost, and that was told.
    var isFailing = false
    var dropped = 0
  }

  private let runtime: any Runtime
  /// Nil for an incognito session, which keeps nothing (R25).
  private let store: (any SessionStore)?
  /// Told when there is something to write, and when all is written.
  private let onWriting: @Sendable (SessionWriter, Bool) -> Void
  /// Told once, until something could be written again.
  private let onFailure: @Sendable (StoreError) -> Void
  private let state = Mutex(State())

  init(
    runtime: any Runtime, store: (any SessionStore)?,
    onWriting: @escaping @Sendable (SessionWriter, Bool) -> Void = { _, _ in },
    onFailure: @escaping @Sendable (StoreError) -> Void
  ) {
    self.runtime = runtime
    self.store = store
    self.onWriting = onWriting
    self.onFailure = onFailure
  }

  /// Changes dropped at the bound.
  var dropped: Int { state.withLock { $0.dropped } }

  /// Queues changes; they are committed in the order of these calls.
  @discardableResult
  func write(_ changes: [StoreChange]) -> Ticket {
    guard store != nil, !changes.isEmpty else { return 0 }
    let (ticket, begins, failure) = state.withLock { state -> (Ticket, Bool, StoreError?) in
      state.lastTicket += 1
      if state.waiting.count + changes.count > Self.waitingAtMost {
        let failure = StoreError.overloaded(waiting: state.waiting.count)
        state.dropped += changes.count
        state.failure = (state.lastTicket, failure)
        return (state.lastTicket, false, failure)
      }
      state.waiting += changes
      defer { state.isWriting = true }
      return (state.lastTicket, !state.isWriting, nil)
    }
    if let failure { tell(failure) }
    if begins {
      onWriting(self, true)
      runtime.task { await self.drain() }
    }
    return ticket
  }

  /// Waits until everything queued so far is durable.
  func flush() async throws(StoreError) {
    try await written(state.withLock { $0.lastTicket })
  }

  /// Waits until what was queued up to `ticket` is durable.
  func written(_ ticket: Ticket) async throws(StoreError) {
    let error = await withCheckedContinuation { continuation in
      let result = state.withLock { state -> StoreError?? in
        if let failure = state.failure, failure.ticket >= ticket { return .some(failure.error) }
        if ticket <= state.writtenTicket || ticket == 0 { return .some(nil) }
        state.waiters.append((ticket, continuation))
        return nil
      }
      if let result { continuation.resume(returning: result) }
    }
    if let error { throw error }
  }

  private func drain() async {
    while let (changes, ticket) = take() {
      var failure: StoreError?
      do throws(StoreError) {
        try await store?.commit(changes)
      } catch {
        failure = error
        tell(error)
      }
      finish(ticket, failure)
    }
    onWriting(self, false)
  }

  private func tell(_ error: StoreError) {
    let isNews = state.withLock { state in
      defer { state.isFailing = true }
      return !state.isFailing
    }
    if isNews { onFailure(error) }
  }

  private func take() -> ([StoreChange], Ticket)? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.isWriting = false
        return nil
      }
      defer { state.waiting.removeAll() }
      return (state.waiting, state.lastTicket)
    }
  }

  private func finish(_ ticket: Ticket, _ failure: StoreError?) {
    let waiters = state.withLock { state in
      state.writtenTicket = ticket
      if let failure { state.failure = (ticket, failure) }
      state.isFailing = failure != nil
      let done = state.waiters.filter { $0.0 <= ticket }
      state.waiters.removeAll { $0.0 <= ticket }
      return done
    }
    for (_, continuation) in waiters { continuation.resume(returning: failure) }
  }
}
