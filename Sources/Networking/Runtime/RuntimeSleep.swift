import Synchronization

/// One sleeping task: resumed once, by the clock or by cancellation, whichever comes first.
final class RuntimeSleep: Sendable {
  private enum State {
    case initial
    case sleeping(CheckedContinuation<Void, any Error>, ScheduledAction)
    case finished
  }

  private let runtime: any Runtime
  private let duration: Duration
  private let state = Mutex<State>(.initial)

  init(runtime: any Runtime, duration: Duration) {
    self.runtime = runtime
    self.duration = duration
  }

  func wait(isolation: isolated (any Actor)? = #isolation) async throws {
    try await withTaskCancellationHandler {
      // Capturing the isolation keeps the closure on the caller's executor; without it, it would
      // run on the global pool and a virtual clock would go on meanwhile.
      _ = isolation
      try await withCheckedThrowingContinuation { continuation in
        let action = runtime.after(duration) { self.finish(cancelled: false) }
        let cancelledEarly = state.withLock { state in
          if case .finished = state { return true }
          state = .sleeping(continuation, action)
          return false
        }
        if cancelledEarly {
          action.cancel()
          continuation.resume(throwing: CancellationError())
        }
      }
    } onCancel: {
      finish(cancelled: true)
    }
  }

  private func finish(cancelled: Bool) {
    let previous = state.withLock { state in
      let previous = state
      state = .finished
      return previous
    }
    guard case .sleeping(let continuation, let action) = previous else { return }
    if cancelled {
      action.cancel()
      continuation.resume(throwing: CancellationError())
    } else {
      continuation.resume()
    }
  }
}
