import SessionsModel
import Synchronization

/// Hands every event to every reader, each with a bounded buffer of its own.
///
/// Readers register at the call of `events()`, from any thread. One that leaves
/// ``EventSubscribers/bound`` events unread is ended with an `error` event of code `slow_consumer`;
/// the others never wait for it.
final class EventSubscribers: Sendable {
  /// Unread events of one reader at most (contract part 2, "Events").
  static let bound = 4096

  private struct State {
    var readers: [(id: Int, continuation: AsyncStream<AgentEvent>.Continuation)] = []
    var lastID = 0
    var hasFinished = false
    var slowReaders = 0
  }

  private let state = Mutex(State())

  /// Readers that were ended because they did not read.
  var slowReaders: Int { state.withLock { $0.slowReaders } }

  /// A new reader, registered now; it ends with the session.
  func makeStream() -> AsyncStream<AgentEvent> {
    // One place beyond the bound is for the event that says so.
    let (stream, continuation) = AsyncStream.makeStream(
      of: AgentEvent.self, bufferingPolicy: .bufferingOldest(Self.bound + 1))
    let id: Int? = state.withLock { state in
      guard !state.hasFinished else { return nil }
      state.lastID += 1
      state.readers.append((state.lastID, continuation))
      return state.lastID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.remove(id)
    }
    return stream
  }

  func send(_ event: AgentEvent) {
    for reader in state.withLock({ $0.readers }) {
      guard case .enqueued(remaining: ...1) = reader.continuation.yield(event) else {
        continue
      }
      state.withLock { $0.slowReaders += 1 }
      remove(reader.id)
      reader.continuation.yield(Self.slowReader)
      reader.continuation.finish()
    }
  }

  private static let slowReader = AgentEvent(
    Frame(
      .error,
      [
        "context": "events", "code": "slow_consumer",
        "error": "\(bound) events were not read in time; this stream ends, events() opens another.",
      ]))

  /// Ends every reader; later ones end at once, until ``reopen()``.
  func finish() {
    let readers = state.withLock { state in
      let readers = state.readers
      state.readers = []
      state.hasFinished = true
      return readers
    }
    for reader in readers {
      reader.continuation.finish()
    }
  }

  /// The session goes on: readers may register again.
  func reopen() {
    state.withLock { $0.hasFinished = false }
  }

  private func remove(_ id: Int) {
    state.withLock { $0.readers.removeAll { $0.id == id } }
  }
}
