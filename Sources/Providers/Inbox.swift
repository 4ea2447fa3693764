import Synchronization

/// A bounded queue from a producer that cannot wait to one reading task.
///
/// Policy at the bound: ``put(_:)`` refuses, and the producer decides what that means. What was put
/// before the end is still read.
package final class Inbox<Element: Sendable>: Sendable {
  private typealias Reader = CheckedContinuation<Result<Element?, ProviderError>, Never>

  private enum End {
    case finished
    case failed(ProviderError)
  }

  private struct State {
    var waiting: [Element] = []
    var head = 0
    var end: End?
    var reader: Reader?

    /// The oldest element or the end; nil when the reader has to wait.
    mutating func take() -> Result<Element?, ProviderError>? {
      if head < waiting.count {
        let element = waiting[head]
        head += 1
        if head == waiting.count || head >= 256 {
          waiting.removeFirst(head)
          head = 0
        }
        return .success(element)
      }
      switch end {
      case .finished: return .success(nil)
      case .failed(let error): return .failure(error)
      case nil: return nil
      }
    }
  }

  private let capacity: Int
  private let state = Mutex(State())

  package init(capacity: Int) {
    precondition(capacity > 0, "an inbox holds at least one element")
    self.capacity = capacity
  }

  /// Adds an element.
  ///
  /// - Returns: false when the inbox is full; true also when it has ended and nobody will read.
  package func put(_ element: Element) -> Bool {
    let (reader, accepted) = state.withLock { state in
      guard state.end == nil else { return (nil as Reader?, true) }
      if let reader = state.reader {
        state.reader = nil
        return (reader, true)
      }
      guard state.waiting.count - state.head < capacity else { return (nil, false) }
      state.waiting.append(element)
      return (nil, true)
    }
    reader?.resume(returning: .success(element))
    return accepted
  }

  /// Ends the queue; the reader sees nil after what is waiting.
  package func finish() {
    end(.finished)
  }

  /// Ends the queue; the reader sees `error` after what is waiting.
  package func fail(_ error: ProviderError) {
    end(.failed(error))
  }

  /// The next element; nil at the end.
  ///
  /// - Throws: the error the queue ended with, or `.cancelled` when the reading task is cancelled.
  package func next(isolation: isolated (any Actor)? = #isolation)
    async throws(ProviderError) -> Element?
  {
    let result = await withTaskCancellationHandler {
      // Capturing the isolation keeps the closure on the caller's executor.
      _ = isolation
      return await withCheckedContinuation { (continuation: Reader) in
        let result = state.withLock { state -> Result<Element?, ProviderError>? in
          if let ready = state.take() { return ready }
          precondition(state.reader == nil, "an inbox has one reader")
          if Task.isCancelled { return .failure(.cancelled) }
          state.reader = continuation
          return nil
        }
        if let result { continuation.resume(returning: result) }
      }
    } onCancel: {
      let reader = state.withLock { state in
        defer { state.reader = nil }
        return state.reader
      }
      reader?.resume(returning: .failure(.cancelled))
    }
    return try result.get()
  }

  private func end(_ end: End) {
    let reader = state.withLock { state -> Reader? in
      guard state.end == nil else { return nil }
      state.end = end
      defer { state.reader = nil }
      return state.reader
    }
    switch end {
    case .finished: reader?.resume(returning: .success(nil))
    case .failed(let error): reader?.resume(returning: .failure(error))
    }
  }
}
