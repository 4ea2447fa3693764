import Stores

/// Lets one at a time change a session that is not live: reopening, deleting and late changes of the
/// record would otherwise overtake each other between two reads of the store.
///
/// Bound: 1,024 waiting for one session; one more is refused.
struct SessionTurnstile {
  static let waitingAtMost = 1024

  struct Ticket {
    var mustWait: Bool
  }

  private struct Queue {
    var promised = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private var queues: [SessionKey: Queue] = [:]

  /// - Returns: nil when too many wait.
  mutating func arrive(at key: SessionKey) -> Ticket? {
    guard let queue = queues[key] else {
      queues[key] = Queue()
      return Ticket(mustWait: false)
    }
    guard queue.promised < Self.waitingAtMost else { return nil }
    queues[key]?.promised += 1
    return Ticket(mustWait: true)
  }

  mutating func wait(at key: SessionKey, _ continuation: CheckedContinuation<Void, Never>) {
    queues[key]?.waiting.append(continuation)
  }

  /// The next one passes.
  mutating func leave(_ key: SessionKey) {
    guard var queue = queues[key], !queue.waiting.isEmpty else {
      queues[key] = nil
      return
    }
    let next = queue.waiting.removeFirst()
    queue.promised -= 1
    queues[key] = queue
    next.resume()
  }
}
