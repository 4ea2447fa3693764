import CLibWebSockets
import Synchronization

/// One libuv loop on one thread, as an executor.
///
/// Jobs run in the order in which they were enqueued, from whatever thread. The queue of jobs has
/// no bound of its own: it holds at most one job for each task that is ready to run.
///
/// `@unchecked Sendable` by this rule: `inbox` is touched under `inboxLock` only; `owner` and
/// `timerIDs` synchronise themselves; everything else is touched only on the loop's thread, or
/// before that thread starts.
final class LoopExecutor: SerialExecutor, TaskExecutor, @unchecked Sendable {
  private enum Work {
    case job(UnownedJob)
    case call(@Sendable () -> Void)
  }

  private struct Inbox {
    var work: [Work] = []
    var wakePending = false
    var closed = false
  }

  /// Rounds of the job queue before sockets and timers get their turn again.
  private static let roundsPerWake = 32

  let loop = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)
  private let wake = UnsafeMutablePointer<uv_async_t>.allocate(capacity: 1)
  // Work enqueued on the loop's own thread is seen before the loop sleeps: right after the sockets'
  // calls by the check handle, after timers by the prepare handle. Waking itself through a
  // descriptor would cost two system calls and another round for every task that goes on.
  private let check = UnsafeMutablePointer<uv_check_t>.allocate(capacity: 1)
  private let prepare = UnsafeMutablePointer<uv_prepare_t>.allocate(capacity: 1)
  private let timer = UnsafeMutablePointer<uv_timer_t>.allocate(capacity: 1)
  private let inboxLock = UnsafeMutablePointer<uv_mutex_t>.allocate(capacity: 1)
  private var inbox = Inbox()
  private let owner = Atomic<UInt>(0)
  private let timerIDs = Atomic<UInt64>(0)
  private var timers = TimerQueue<@Sendable () -> Void>()
  private var armedDeadline: MonotonicInstant?
  private var watches: [ObjectIdentifier: DescriptorWatch] = [:]
  private var thread: uv_thread_t = 0
  private var onFinished: (@Sendable (Int32) -> Void)?

  init() {
    precondition(uv_mutex_init(inboxLock) == 0, "libuv could not make a mutex")
    precondition(uv_loop_init(loop) == 0, "libuv could not make an event loop")
    let me = Unmanaged.passUnretained(self).toOpaque()
    precondition(
      uv_async_init(loop, wake) { LoopExecutor.from($0?.pointee.data).drain() } == 0,
      "libuv could not make a wake-up handle: out of file descriptors")
    wake.pointee.data = me
    uv_check_init(loop, check)
    check.pointee.data = me
    uv_check_start(check) { LoopExecutor.from($0?.pointee.data).drain() }
    uv_prepare_init(loop, prepare)
    prepare.pointee.data = me
    uv_prepare_start(prepare) { LoopExecutor.from($0?.pointee.data).drain() }
    uv_timer_init(loop, timer)
    timer.pointee.data = me
    // The thread keeps the executor alive until the loop has ended.
    let retained = Unmanaged.passRetained(self).toOpaque()
    let status = uv_thread_create(
      &thread, { Unmanaged<LoopExecutor>.fromOpaque($0!).takeRetainedValue().run() }, retained)
    precondition(status == 0, "the event loop's thread could not be started")
  }

  deinit {
    uv_mutex_destroy(inboxLock)
    inboxLock.deallocate()
    loop.deallocate()
    wake.deallocate()
    check.deallocate()
    prepare.deallocate()
    timer.deallocate()
  }

  private static func from(_ data: UnsafeMutableRawPointer?) -> LoopExecutor {
    Unmanaged<LoopExecutor>.fromOpaque(data!).takeUnretainedValue()
  }

  // MARK: Executor

  func enqueue(_ job: consuming ExecutorJob) {
    append(.job(UnownedJob(job)))
  }

  /// Whether the caller runs on the loop's thread.
  var isCurrent: Bool {
    UInt(uv_thread_self()) == owner.load(ordering: .acquiring)
  }

  func checkIsolated() {
    precondition(isCurrent, "this code must run on the runtime's loop")
  }

  func isIsolatingCurrentContext() -> Bool? {
    isCurrent
  }

  /// Calls `action` on the loop: at once when already there, else in the order of the queue.
  func perform(_ action: @escaping @Sendable () -> Void) {
    if isCurrent { action() } else { append(.call(action)) }
  }

  /// Calls `action` on the loop, after everything enqueued before.
  func enqueue(call action: @escaping @Sendable () -> Void) {
    append(.call(action))
  }

  private func append(_ work: Work) {
    withInbox { inbox in
      // Work that arrives after the end cannot run any more: its thread is gone.
      guard !inbox.closed else { return }
      inbox.work.append(work)
      guard !inbox.wakePending, !isCurrent else { return }
      // Inside the lock, so that the handle cannot be closed meanwhile.
      uv_async_send(wake)
      inbox.wakePending = true
    }
  }

  /// A mutex of libuv, not of Swift: the thread sanitizer does not see the slow path of the latter
  /// and reports every contended access.
  private func withInbox<Result>(_ body: (inout Inbox) -> Result) -> Result {
    uv_mutex_lock(inboxLock)
    defer { uv_mutex_unlock(inboxLock) }
    return body(&inbox)
  }

  private func drain() {
    for _ in 0..<Self.roundsPerWake {
      let batch = withInbox { inbox in
        let batch = inbox.work
        inbox.work = []
        if batch.isEmpty { inbox.wakePending = false }
        return batch
      }
      if batch.isEmpty { return }
      for work in batch {
        switch work {
        case .job(let job):
          // Not `isolatedTo:taskExecutor:`: with it every `await` of an actor of this executor is
          // enqueued anew, even one that stays on the actor (measured on 6.3.1), so that other
          // jobs slip in where the code has no suspension.
          job.runSynchronously(
            on: asUnownedSerialExecutor())
        case .call(let action):
          action()
        }
      }
    }
    uv_async_send(wake)
  }

  private func run() {
    owner.store(UInt(uv_thread_self()), ordering: .releasing)
    uv_run(loop, UV_RUN_DEFAULT)
    // No job of an actor may find itself on this thread's id again: ids are reused.
    owner.store(0, ordering: .releasing)
    let status = uv_loop_close(loop)
    onFinished?(status)
  }

  // MARK: Time

  /// A number for a timer; equal deadlines come up in the order of their numbers.
  func nextTimerID() -> UInt64 {
    timerIDs.add(1, ordering: .relaxed).newValue
  }

  /// Adds a timer; on the loop's thread only.
  func schedule(_ action: @escaping @Sendable () -> Void, id: UInt64, at deadline: MonotonicInstant)
  {
    timers.insert(action, id: id, deadline: deadline)
    arm()
  }

  /// Takes a timer back; on the loop's thread only.
  func unschedule(id: UInt64) {
    timers.remove(id: id)
  }

  private func arm() {
    guard let deadline = timers.nextDeadline(), uv_is_closing(handle(timer)) == 0 else { return }
    if let armedDeadline, armedDeadline <= deadline { return }
    armedDeadline = deadline
    uv_update_time(loop)
    // libuv counts whole milliseconds from its start: round up, so that no timer comes early.
    let due = UInt64(max(0, (deadline.nanoseconds + 999_999) / 1_000_000))
    let current = uv_now(loop)
    uv_timer_start(
      timer, { LoopExecutor.from($0?.pointee.data).fireDueTimers() },
      due > current ? due - current : 0, 0)
  }

  private func fireDueTimers() {
    armedDeadline = nil
    let now = MonotonicInstant(nanoseconds: Int64(uv_hrtime()))
    while let action = timers.popDue(at: now) { action() }
    arm()
  }

  // MARK: Descriptors

  /// Starts a watch; on the loop's thread only.
  func start(_ watch: DescriptorWatch) {
    guard watch.start(on: loop) else { return }
    watches[ObjectIdentifier(watch)] = watch
  }

  /// Ends a watch; on the loop's thread only.
  func stop(_ watch: DescriptorWatch) {
    watch.stop()
    watches[ObjectIdentifier(watch)] = nil
  }

  // MARK: End

  /// Closes the loop; `onFinished` is called with libuv's verdict as the thread's last act.
  func finish(_ onFinished: @escaping @Sendable (Int32) -> Void) {
    append(
      .call { [self] in
        self.onFinished = onFinished
        withInbox { $0.closed = true }
        timers.removeAll()
        for watch in watches.values { watch.stop() }
        watches = [:]
        uv_close(handle(timer), nil)
        uv_close(handle(wake), nil)
        uv_close(handle(check), nil)
        uv_close(handle(prepare), nil)
      })
  }

  /// Waits for the thread, which has nothing left to do, and frees it.
  func join() {
    uv_thread_join(&thread)
  }
}

/// libuv's handle types are one base structure with fields behind it.
func handle(_ pointer: UnsafeMutablePointer<some Any>) -> UnsafeMutablePointer<uv_handle_t> {
  UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: uv_handle_t.self)
}
