public import Foundation
import Glibc
public import Networking
import Synchronization

/// A runtime whose clock is virtual and whose order is seeded: the one scheduler of a simulation.
///
/// The clock advances only when no job is ready and no watched descriptor is readable, so every
/// duration a scenario measures is exact, and two runs with one seed do the same things in the same
/// order. Whatever is ready at one instant runs in an order drawn from the seed, because nothing in
/// the product may depend on it.
public final class SimulatedRuntime: Runtime, SerialExecutor, TaskExecutor, @unchecked Sendable {
  // Unchecked: `state` is guarded by a mutex; jobs run only on the thread inside `run`.

  private struct Timer {
    var deadline: Int64
    var order: UInt64
    var action: @Sendable () -> Void
  }

  private struct Watch {
    var descriptor: Int32
    var onReadable: @Sendable () -> Void
  }

  private struct State {
    var nowNanoseconds: Int64 = 0
    var ready: [UnownedJob] = []
    var timers: [UInt64: Timer] = [:]
    var watches: [UInt64: Watch] = [:]
    var nextID: UInt64 = 0
    var generator: SplitMix64
    var order: SplitMix64
    var jobsRun = 0
  }

  private let state: Mutex<State>

  /// - Parameter seed: decides order and random numbers.
  public init(seed: UInt64) {
    state = Mutex(State(generator: SplitMix64(seed: seed), order: SplitMix64(seed: ~seed)))
  }

  public var executor: any (SerialExecutor & TaskExecutor) { self }

  public var now: MonotonicInstant {
    MonotonicInstant(nanoseconds: state.withLock { $0.nowNanoseconds })
  }

  /// 2026-01-01T00:00:00Z plus the virtual time.
  public var wallClock: Date {
    Date(timeIntervalSince1970: 1_767_225_600 + Double(now.nanoseconds) / 1e9)
  }

  public func randomUInt64() -> UInt64 {
    state.withLock { $0.generator.next() }
  }

  /// Jobs run so far; two runs with one seed must agree on it.
  public var jobsRun: Int { state.withLock { $0.jobsRun } }

  @discardableResult
  public func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void)
    -> ScheduledAction
  {
    let id = state.withLock { state in
      state.nextID += 1
      let deadline = state.nowNanoseconds + max(0, delay.nanoseconds)
      state.timers[state.nextID] = Timer(deadline: deadline, order: state.nextID, action: action)
      return state.nextID
    }
    return ScheduledAction { [weak self] in
      _ = self?.state.withLock { $0.timers.removeValue(forKey: id) }
    }
  }

  public func watch(descriptor: Int32, onReadable: @escaping @Sendable () -> Void)
    -> ScheduledAction
  {
    let id = state.withLock { state in
      state.nextID += 1
      state.watches[state.nextID] = Watch(descriptor: descriptor, onReadable: onReadable)
      return state.nextID
    }
    return ScheduledAction { [weak self] in
      _ = self?.state.withLock { $0.watches.removeValue(forKey: id) }
    }
  }

  // MARK: Executor

  public func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    state.withLock { $0.ready.append(unowned) }
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
    UnownedSerialExecutor(ordinary: self)
  }

  public func asUnownedTaskExecutor() -> UnownedTaskExecutor {
    UnownedTaskExecutor(ordinary: self)
  }

  public func checkIsolated() {
    precondition(runner.withLock { $0 } == pthread_self(), "not on the simulation's thread")
  }

  private let runner = Mutex<pthread_t>(0)

  // MARK: Running

  /// Runs until `isDone` or until `limit` of virtual time has passed.
  ///
  /// - Returns: true when `isDone` held, false when the limit came first or nothing was left to do.
  /// - Role: one thread at a time; blocks it.
  @discardableResult
  public func run(until isDone: () -> Bool, limit: Duration) -> Bool {
    runner.withLock { $0 = pthread_self() }
    let end = now.nanoseconds + limit.nanoseconds
    while !isDone() {
      if runOneJob() { continue }
      if serveDescriptors() { continue }
      guard advance(to: end) else { return isDone() }
    }
    return true
  }

  /// Runs for exactly `duration` of virtual time.
  public func run(for duration: Duration) {
    run(until: { false }, limit: duration)
  }

  private func runOneJob() -> Bool {
    let job: UnownedJob? = state.withLock { state in
      guard !state.ready.isEmpty else { return nil }
      state.jobsRun += 1
      let index = Int(state.order.next() % UInt64(state.ready.count))
      return state.ready.remove(at: index)
    }
    guard let job else { return false }
    job.runSynchronously(
      isolatedTo: asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
    return true
  }

  private func serveDescriptors() -> Bool {
    let watches = state.withLock { state in
      state.watches.sorted { $0.key < $1.key }.map { $0.value }
    }
    guard !watches.isEmpty else { return false }
    var descriptors = watches.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    guard poll(&descriptors, nfds_t(descriptors.count), 0) > 0 else { return false }
    for (watch, descriptor) in zip(watches, descriptors) where descriptor.revents != 0 {
      watch.onReadable()
    }
    return true
  }

  /// Moves the clock to the next timer and fires it; false when none is due by `end`.
  private func advance(to end: Int64) -> Bool {
    let action: (@Sendable () -> Void)? = state.withLock { state in
      let next = state.timers.min {
        ($0.value.deadline, $0.value.order) < ($1.value.deadline, $1.value.order)
      }
      guard let next, next.value.deadline <= end else {
        state.nowNanoseconds = max(state.nowNanoseconds, end)
        return nil
      }
      state.nowNanoseconds = max(state.nowNanoseconds, next.value.deadline)
      state.timers.removeValue(forKey: next.key)
      return next.value.action
    }
    guard let action else { return false }
    action()
    return true
  }
}
