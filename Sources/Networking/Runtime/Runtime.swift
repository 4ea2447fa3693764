public import Foundation

/// Where order, time and chance come from.
///
/// Everything above the C core runs on `executor` and asks this object for the time, a delay or a
/// random number, never the operating system. Live it is a libuv loop on a thread of its own
/// (``LoopRuntime``); in a simulation it is a seeded queue with a virtual clock.
public protocol Runtime: AnyObject, Sendable {
  /// Runs every actor of the process that belongs to this runtime, one job at a time.
  var executor: any (SerialExecutor & TaskExecutor) { get }

  /// The monotonic clock.
  var now: MonotonicInstant { get }

  /// The time of day, for records only; never for measuring.
  var wallClock: Date { get }

  /// Runs `action` on the executor once `delay` has passed.
  ///
  /// - Returns: a handle that takes the action back; it does nothing once the action has run.
  @discardableResult
  func after(_ delay: Duration, _ action: @escaping @Sendable () -> Void) -> ScheduledAction

  /// Calls `onReadable` on the executor while `descriptor` is readable, until cancelled.
  func watch(descriptor: Int32, onReadable: @escaping @Sendable () -> Void) -> ScheduledAction

  /// The next number of the runtime's generator (seeded in a simulation).
  func randomUInt64() -> UInt64
}

/// Something a runtime will do, and how to take it back.
public struct ScheduledAction: Sendable {
  private let onCancel: @Sendable () -> Void

  public init(onCancel: @escaping @Sendable () -> Void) {
    self.onCancel = onCancel
  }

  /// Takes the action back. Safe to call more than once and from any thread.
  public func cancel() {
    onCancel()
  }
}

extension Runtime {
  /// Suspends for `duration` on the runtime's clock.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(for duration: Duration) async throws {
    try await RuntimeSleep(runtime: self, duration: duration).wait()
  }
}
