import Stores

/// Which ended sessions are still to be looked back on, and how many are at once.
///
/// Bound: 1,000; of more the one that waited longest is given up, and counted.
struct LookBackQueue {
  static let waitingAtMost = 1_000

  private struct Entry {
    var number: Int
    var task: Task<Void, Never>
  }

  private var entries: [SessionKey: Entry] = [:]
  private var order: [(key: SessionKey, number: Int)] = []
  private var lastNumber = 0
  private(set) var dropped = 0
  /// Models are asked for this many.
  var running = 0

  /// A number for a new one, which replaces an earlier one of the session.
  mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  mutating func add(_ key: SessionKey, _ number: Int, _ task: Task<Void, Never>) {
    cancel(key)
    entries[key] = Entry(number: number, task: task)
    order.append((key, number))
    while entries.count > Self.waitingAtMost, let oldest = order.first {
      order.removeFirst()
      guard entries[oldest.key]?.number == oldest.number else { continue }
      cancel(oldest.key)
      dropped += 1
    }
    if order.count > 2 * Self.waitingAtMost {
      order.removeAll { entries[$0.key]?.number != $0.number }
    }
  }

  mutating func cancel(_ key: SessionKey) {
    entries.removeValue(forKey: key)?.task.cancel()
  }

  mutating func cancelAll() {
    for entry in entries.values { entry.task.cancel() }
    entries.removeAll()
    order.removeAll()
  }

  func isCurrent(_ key: SessionKey, _ number: Int) -> Bool {
    entries[key]?.number == number
  }

  mutating func finished(_ key: SessionKey, _ number: Int) {
    guard isCurrent(key, number) else { return }
    entries[key] = nil
  }
}
