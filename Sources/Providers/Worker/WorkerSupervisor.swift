public import Networking

/// Keeps one worker process alive and shares it among requests.
///
/// Bounds: 64 requests at a time, 8,192 unread frames a request, a silence limit while an answer
/// is due, a back-off from 0.1 s to 10 s. Role: the runtime's executor.
public actor WorkerSupervisor {
  /// The limits of one worker.
  public struct Limits: Sendable {
    /// From launch to `ready`.
    public var start = Duration.seconds(30)
    /// Without a frame while an answer is due.
    public var silence = Duration.seconds(10)
    /// How long a request waits for a worker that is (re)starting: less than the 2.6 s in which a turn
    /// gives its recogniser up, so that the worker's own reason is told.
    public var admission = Duration.seconds(2)

    public init() {}
  }

  /// What a supervisor has counted since it began.
  public struct Counters: Sendable, Equatable {
    public var restarts = 0
    public var requests = 0
    public var failedRequests = 0
    public var refusedRequests = 0
    /// Frames of requests that had ended.
    public var lateFrames = 0
  }

  static let requestsAtOnce = 64
  static let unreadFrames = 8_192

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    runtime.executor.asUnownedSerialExecutor()
  }

  let runtime: any Runtime
  private let launcher: any WorkerLauncher
  private let limits: Limits
  private let onTrouble: @Sendable (String) -> Void
  private var lifecycle: WorkerLifecycle
  private var tally = Counters()
  private var channel: (any WorkerChannel)?
  private var decoder = WorkerFrameDecoder()
  /// Counts launches, so that what an earlier process still says is not taken for the present one's.
  private var incarnation = 0
  private var requests: [UInt32: WorkerExchange] = [:]
  private var lastRequest: UInt32 = 0
  private var lastHeard = MonotonicInstant(nanoseconds: 0)
  private var isWatchingSilence = false
  private var admissions: [UInt64: Inbox<Void>] = [:]
  private var lastAdmission: UInt64 = 0

  /// - Parameters:
  ///   - name: what people call it, such as `speech-to-text`.
  ///   - onTrouble: told once an episode, with a sentence.
  public init(
    name: String, launcher: any WorkerLauncher, runtime: any Runtime, limits: Limits = Limits(),
    onTrouble: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.runtime = runtime
    self.launcher = launcher
    self.limits = limits
    self.onTrouble = onTrouble
    lifecycle = WorkerLifecycle(name: name)
  }

  public var counters: Counters {
    var counters = tally
    counters.restarts = lifecycle.restarts
    return counters
  }

  /// What the worker said of itself; nil while it is not ready.
  public var ready: WorkerReady? {
    guard case .ready(let ready) = lifecycle.state else { return nil }
    return ready
  }

  /// Why the worker is not there; nil while nothing is known to be wrong.
  public var trouble: String? { lifecycle.trouble }

  /// Starts the worker; does nothing when it was started before.
  public func start() {
    carryOut(lifecycle.start())
  }

  /// Ends the worker and fails what is in work.
  public func stop() {
    carryOut(lifecycle.stop())
  }

  /// Waits until the worker is ready.
  ///
  /// - Throws: `.unavailable` with the reason when it is not within `limit`.
  public func waitUntilReady(limit: Duration) async throws(ProviderError) {
    if case .ready = lifecycle.state { return }
    if lifecycle.state == .stopped { start() }
    lastAdmission += 1
    let number = lastAdmission
    let admission = Inbox<Void>(capacity: 1)
    admissions[number] = admission
    let expiry = runtime.after(limit) { admission.finish() }
    defer {
      expiry.cancel()
      admissions[number] = nil
    }
    guard try await admission.next() == nil else { return }
    throw .unavailable(
      lifecycle.trouble
        ?? "The worker is still starting; asked for longer than \(limit.wholeMilliseconds) ms.")
  }

  /// Opens a request once the worker is ready.
  func open() async throws(ProviderError) -> WorkerExchange {
    try await waitUntilReady(limit: limits.admission)
    guard requests.count < Self.requestsAtOnce else {
      tally.refusedRequests += 1
      throw .unavailable("The worker has \(Self.requestsAtOnce) requests in work already.")
    }
    lastRequest += 1
    tally.requests += 1
    let exchange = WorkerExchange(id: lastRequest, capacity: Self.unreadFrames)
    requests[exchange.id] = exchange
    return exchange
  }

  /// Sends a frame of an open request; `answerDue` starts the watch over the worker's silence.
  ///
  /// Waits while the worker's pipe is full; one that does not read for the silence limit is ended.
  func send(_ frame: WorkerFrame, answerDue: Bool = false) async {
    guard let exchange = requests[frame.request] else { return }
    guard let channel else {
      // Lost between the admission of the request and its first frame.
      requests[frame.request] = nil
      tally.failedRequests += 1
      exchange.inbox.fail(.unavailable(lifecycle.trouble ?? "The worker is not running."))
      return
    }
    if answerDue {
      exchange.isAnswerDue = true
      lastHeard = runtime.now
      watchSilence()
    }
    let incarnation = incarnation
    let limit = runtime.after(limits.silence) { [runtime] in
      runtime.task { await self.writeLimitPassed(incarnation) }
    }
    await channel.send(frame.encoded)
    limit.cancel()
  }

  private func writeLimitPassed(_ incarnation: Int) {
    guard incarnation == self.incarnation else { return }
    carryOut(lifecycle.silenceLimitPassed(limits.silence))
  }

  /// Takes a request back; nothing of it is delivered any more.
  func cancel(_ id: UInt32) async {
    guard let exchange = requests[id], !exchange.isCancelled else { return }
    exchange.isCancelled = true
    exchange.inbox.fail(.cancelled)
    await send(WorkerCommand.cancel.frame(request: id), answerDue: true)
  }

  private func carryOut(_ actions: [WorkerLifecycle.Action]) {
    for action in actions {
      switch action {
      case .launch: launch()
      case .armStartLimit: armStartLimit()
      case .kill: channel?.kill()
      case .admitRequests:
        for admission in admissions.values { _ = admission.put(()) }
      case .failRequests(let error): failRequests(error)
      case .relaunch(let delay): relaunch(after: delay)
      case .report(let sentence): onTrouble(sentence)
      }
    }
  }

  private func launch() {
    incarnation += 1
    decoder = WorkerFrameDecoder()
    let incarnation = incarnation
    runtime.task { await self.run(incarnation) }
  }

  /// Follows one process from its launch to its end.
  private func run(_ incarnation: Int) async {
    let channel: any WorkerChannel
    do throws(ProviderError) {
      channel = try await launcher.launch()
    } catch {
      if incarnation == self.incarnation {
        carryOut(lifecycle.reportedStartupError(error.description))
        carryOut(lifecycle.ended("could not be started"))
      }
      return
    }
    guard incarnation == self.incarnation, lifecycle.state == .starting else {
      channel.kill()
      return
    }
    self.channel = channel
    while let event = await channel.receive() {
      guard incarnation == self.incarnation else { continue }
      switch event {
      case .output(let bytes): take(bytes)
      case .ended(let reason): carryOut(lifecycle.ended(reason))
      }
    }
  }

  private func armStartLimit() {
    let (incarnation, limit) = (incarnation, limits.start)
    later(limit) { supervisor in
      guard incarnation == supervisor.incarnation else { return }
      supervisor.carryOut(supervisor.lifecycle.startLimitPassed(limit))
    }
  }

  private func relaunch(after delay: Duration) {
    channel = nil
    incarnation += 1
    let incarnation = incarnation
    later(delay) { supervisor in
      guard incarnation == supervisor.incarnation else { return }
      supervisor.carryOut(supervisor.lifecycle.backOffPassed())
    }
  }

  private func later(
    _ delay: Duration, _ action: @escaping @Sendable (isolated WorkerSupervisor) -> Void
  ) {
    let runtime = runtime
    runtime.task {
      // Only a cancelled task wakes early, and nobody cancels this one.
      try? await runtime.sleep(for: delay)
      await action(self)
    }
  }

  private func failRequests(_ error: ProviderError) {
    tally.failedRequests += requests.count
    for exchange in requests.values { exchange.inbox.fail(error) }
    requests.removeAll()
  }

  private func take(_ bytes: [UInt8]) {
    lastHeard = runtime.now
    decoder.append(bytes)
    do throws(WorkerFrameError) {
      while let frame = try decoder.next() { try take(frame) }
    } catch {
      carryOut(lifecycle.wroteBrokenFrame(error.sentence))
    }
  }

  private func take(_ frame: WorkerFrame) throws(WorkerFrameError) {
    guard frame.request != 0 else { return try takeOwn(frame) }
    guard frame.request <= lastRequest else {
      throw WorkerFrameError(sentence: "a frame of request \(frame.request), which was never made")
    }
    guard let exchange = requests[frame.request] else {
      tally.lateFrames += 1
      return
    }
    let report: WorkerReport? = frame.kind == .control ? try WorkerReport(frame.payload) : nil
    if exchange.isCancelled {
      // The worker may have written these before it read the cancellation.
      if report == nil { tally.lateFrames += 1 } else { requests[frame.request] = nil }
      return
    }
    switch report {
    case nil:
      guard !exchange.inbox.put(.data(frame)) else { return }
      requests[frame.request] = nil
      exchange.inbox.fail(.failed("The worker answered with more than can be taken."))
    case .result(let result):
      lifecycle.requestSucceeded()
      requests[frame.request] = nil
      _ = exchange.inbox.put(.result(result))
      exchange.inbox.finish()
    case .error(let code, let message):
      tally.failedRequests += 1
      requests[frame.request] = nil
      exchange.inbox.fail(code == "busy" ? .rateLimited(retryAfter: nil) : .failed(message))
    case .cancelled:
      requests[frame.request] = nil
      exchange.inbox.fail(.cancelled)
    case .ready, .other: break
    }
  }

  private func takeOwn(_ frame: WorkerFrame) throws(WorkerFrameError) {
    guard frame.kind == .control else {
      throw WorkerFrameError(sentence: "data that belongs to no request")
    }
    switch try WorkerReport(frame.payload) {
    case .ready(let ready):
      // Speech is counted in it; a worker's mistake must not become the router's.
      if let rate = ready.rate, !(8_000...192_000).contains(rate) {
        throw WorkerFrameError(sentence: "a sample rate of \(rate) Hz")
      }
      carryOut(lifecycle.becameReady(ready))
    case .error(_, let message): carryOut(lifecycle.reportedStartupError(message))
    case .result, .cancelled, .other: break
    }
  }

  /// Looks after the silence limit for as long as some answer is due.
  private func watchSilence() {
    guard !isWatchingSilence, requests.values.contains(where: \.isAnswerDue) else { return }
    let left = limits.silence - (runtime.now - lastHeard)
    guard left > .zero else {
      carryOut(lifecycle.silenceLimitPassed(limits.silence))
      return
    }
    isWatchingSilence = true
    later(left) { supervisor in
      supervisor.isWatchingSilence = false
      supervisor.watchSilence()
    }
  }
}
