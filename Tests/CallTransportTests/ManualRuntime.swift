import Foundation
import Networking
import Synchronization

/// A runtime whose clock stands still until the test moves it; jobs run when the test says so.
final class ManualRuntime: Runtime {
  final class Queue: SerialExecutor, TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      jobs.withLock { $0.append(job) }
    }

    /// Runs the oldest job; false when there is none.
    func runOne() -> Bool {
      guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return false }
      job.runSynchronously(
        isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
      return true
    }
  }

  private struct State {
    var now = MonotonicInstant(nanoseconds: 0)
    var timers: [(id: Int, at: MonotonicInstant, action: @Sendable () -> Void)] = []
    var lastID = 0
  }

  let queue = Queue()
  private let state = Mutex(State())

  var executor: any (SerialExecutor & TaskExecutor) { queue }
  var now: MonotonicInstant { state.withLock { $0.now } }
  var wallClock: Date { Date(timeIntervalSince1970: 0) }
  func randomUInt64() -> UInt64 { 0 }

  func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledAction {
    let id = state.withLock { state in
      state.lastID += 1
      state.timers.append((state.lastID, state.now + delay, action))
      return state.lastID
    }
    return ScheduledAction { [weak self] in
      self?.state.withLock { $0.timers.removeAll { $0.id == id } }
    }
  }

  func watch(descriptor: Int32, onReadable: @escaping @Sendable () -> Void) -> ScheduledAction {
    ScheduledAction {}
  }

  /// Runs every job that is ready.
  func settle() {
    while queue.runOne() {}
  }

  /// Moves the clock, firing what falls due, in order.
  func advance(by duration: Duration) {
    let end = now + duration
    settle()
    while let due = nextTimer(until: end) {
      due()
      settle()
    }
    state.withLock { $0.now = end }
  }

  private func nextTimer(until end: MonotonicInstant) -> (@Sendable () -> Void)? {
    state.withLock { state in
      guard
        let index = state.timers.indices.min(by: { state.timers[$0].at < state.timers[$1].at }),
        state.timers[index].at <= end
      else { return nil }
      let timer = state.timers.remove(at: index)
      state.now = max(state.now, timer.at)
      return timer.action
    }
  }
}
