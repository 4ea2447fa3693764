/// Pending timers in the order of their deadlines; equal deadlines keep the order of their ids.
///
/// A value: it holds no clock. A binary heap with late removal: a cancelled entry stays in the
/// heap until it comes up or dead entries outnumber the living.
struct TimerQueue<Element> {
  private struct Entry {
    var deadline: MonotonicInstant
    var id: UInt64

    static func < (left: Entry, right: Entry) -> Bool {
      (left.deadline.nanoseconds, left.id) < (right.deadline.nanoseconds, right.id)
    }
  }

  private var heap: [Entry] = []
  private var elements: [UInt64: Element] = [:]

  /// How many timers are pending.
  var count: Int { elements.count }

  /// Adds a timer; `id` must be new.
  mutating func insert(_ element: Element, id: UInt64, deadline: MonotonicInstant) {
    elements[id] = element
    heap.append(Entry(deadline: deadline, id: id))
    siftUp(heap.count - 1)
  }

  /// Takes a timer out; does nothing once it has come up.
  mutating func remove(id: UInt64) {
    guard elements.removeValue(forKey: id) != nil else { return }
    if heap.count > 64, heap.count > 2 * elements.count { dropDeadEntries() }
  }

  mutating func removeAll() {
    heap = []
    elements = [:]
  }

  /// The earliest deadline of a pending timer.
  mutating func nextDeadline() -> MonotonicInstant? {
    while let first = heap.first {
      if elements[first.id] != nil { return first.deadline }
      removeFirst()
    }
    return nil
  }

  /// Takes out the earliest timer whose deadline is not after `now`.
  mutating func popDue(at now: MonotonicInstant) -> Element? {
    guard let deadline = nextDeadline(), deadline <= now else { return nil }
    return elements.removeValue(forKey: removeFirst().id)
  }

  private mutating func dropDeadEntries() {
    heap.removeAll { elements[$0.id] == nil }
    // A sorted array is a valid heap.
    heap.sort { $0 < $1 }
  }

  @discardableResult
  private mutating func removeFirst() -> Entry {
    let first = heap[0]
    let last = heap.removeLast()
    if !heap.isEmpty {
      heap[0] = last
      siftDown()
    }
    return first
  }

  private mutating func siftUp(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child] < heap[parent] else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child] < heap[least] {
        least = child
      }
      if least == parent { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
