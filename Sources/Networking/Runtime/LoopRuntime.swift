import CLibWebSockets
public import Foundation
import Synchronization

/// The live runtime: one libuv loop on a thread of its own, which is never the main thread.
///
/// The thread starts with the object and lives until ``stop()``.
public final class LoopRuntime: Runtime {
  let loopExecutor = LoopExecutor()
  private let owners = Mutex<(last: UInt64, stop: [UInt64: @Sendable () async -> Void])>((0, [:]))

  public init() {
    // A peer that has gone is an error of the write, not the end of this process.
    signal(SIGPIPE, SIG_IGN)
  }

  public var executor: any (SerialExecutor & TaskExecutor) { loopExecutor }

  public var now: MonotonicInstant {
    MonotonicInstant(nanoseconds: Int64(uv_hrtime()))
  }

  public var wallClock: Date { Date() }

  public func randomUInt64() -> UInt64 {
    var generator = SystemRandomNumberGenerator()
    return generator.next()
  }

  @discardableResult
  public func after(
    _ delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> ScheduledAction {
    let executor = loopExecutor
    let pending = PendingAction(action)
    guard delay > .zero else {
      executor.enqueue(call: pending.run)
      return ScheduledAction(onCancel: pending.drop)
    }
    let id = executor.nextTimerID()
    let deadline = now + delay
    executor.perform {
      if pending.isPending { executor.schedule(pending.run, id: id, at: deadline) }
    }
    return ScheduledAction {
      pending.drop()
      executor.perform { executor.unschedule(id: id) }
    }
  }

  /// Calls `onReadable` on the executor while `descriptor` is readable, until cancelled.
  ///
  /// The descriptor becomes non-blocking. It may be closed once the watch was cancelled on the
  /// executor.
  public func watch(
    descriptor: Int32, onReadable: @escaping @Sendable () -> Void
  ) -> ScheduledAction {
    let executor = loopExecutor
    let watch = DescriptorWatch(descriptor: descriptor, onReadable: onReadable)
    executor.perform { executor.start(watch) }
    return ScheduledAction { executor.perform { executor.stop(watch) } }
  }

  /// Registers what must be closed before the loop can end: servers, clients, child processes.
  ///
  /// The runtime keeps what `stop` captures until it has run or the registration is taken back.
  ///
  /// - Returns: takes the registration back.
  func whenStopping(_ stop: @escaping @Sendable () async -> Void) -> ScheduledAction {
    let id = owners.withLock { owners in
      owners.last += 1
      owners.stop[owners.last] = stop
      return owners.last
    }
    return ScheduledAction { self.owners.withLock { $0.stop[id] = nil } }
  }

  /// Closes everything that still uses the loop, newest first, then ends the loop and its thread.
  ///
  /// Call it from outside the runtime's executor, once. Tasks still suspended on the runtime never
  /// go on: end them before.
  public func stop() async {
    precondition(!loopExecutor.isCurrent, "a runtime cannot be stopped from its own executor")
    while let (id, stop) = owners.withLock({ $0.stop.max { $0.key < $1.key } }) {
      await stop()
      owners.withLock { $0.stop[id] = nil }
    }
    let status = await withCheckedContinuation { continuation in
      loopExecutor.finish { continuation.resume(returning: $0) }
    }
    loopExecutor.join()
    precondition(status == 0, "the event loop ended with open handles")
  }
}
