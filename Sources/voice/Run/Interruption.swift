@preconcurrency import Dispatch
import Glibc
import Synchronization

/// Ctrl-C and a polite kill, seen once, so that a run can end in order.
final class Interruption: Sendable {
  private struct State {
    var isAsked = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())
  // Kept alive for as long as the process listens.
  private let signals: [any DispatchSourceSignal]
  private let input = Mutex<(any DispatchSourceRead)?>(nil)

  init() {
    let numbers = [SIGINT, SIGTERM]
    signals = numbers.map { DispatchSource.makeSignalSource(signal: $0, queue: .global()) }
    for (number, source) in zip(numbers, signals) {
      signal(number, SIG_IGN)
      source.setEventHandler { @Sendable [weak self] in self?.ask() }
      source.resume()
    }
  }

  /// Whether the run should end.
  var isAsked: Bool { state.withLock { $0.isAsked } }

  /// Waits for a signal.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isAsked = state.withLock { state in
        if !state.isAsked { state.waiters.append(continuation) }
        return state.isAsked
      }
      if isAsked { continuation.resume() }
    }
  }

  /// Waits for a signal or for the end of standard input: the parent has gone.
  func waitForEndOfInput() async {
    let source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
    source.setEventHandler { @Sendable [weak self] in
      var bytes = [UInt8](repeating: 0, count: 256)
      if read(STDIN_FILENO, &bytes, bytes.count) <= 0 { self?.ask() }
    }
    input.withLock { $0 = source }
    source.resume()
    await wait()
    source.cancel()
  }

  /// Ends the run as a signal would.
  func ask() {
    let waiters = state.withLock { state in
      state.isAsked = true
      let waiters = state.waiters
      state.waiters = []
      return waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
