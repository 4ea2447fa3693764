import Synchronization

/// A queue one task waits on: what arrives is read in order, an end ends it.
final class Mailbox<Item: Sendable>: Sendable {
  private struct State {
    var items: [Item] = []
    var waiter: CheckedContinuation<Item?, Never>?
    var hasEnded = false
  }

  private let state = Mutex(State())

  func put(_ item: Item) {
    let waiter = state.withLock { state -> CheckedContinuation<Item?, Never>? in
      guard let waiter = state.waiter else {
        state.items.append(item)
        return nil
      }
      state.waiter = nil
      return waiter
    }
    waiter?.resume(returning: item)
  }

  func end() {
    let waiter = state.withLock { state in
      state.hasEnded = true
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: nil)
  }

  /// The next item; nil at the end.
  func next() async -> Item? {
    await withCheckedContinuation { continuation in
      let ready: Item?? = state.withLock { state in
        if !state.items.isEmpty { return .some(state.items.removeFirst()) }
        if state.hasEnded { return .some(nil) }
        precondition(state.waiter == nil, "a mailbox has one reader")
        state.waiter = continuation
        return nil
      }
      if case .some(let item) = ready { continuation.resume(returning: item) }
    }
  }
}
