import CLibWebSockets

/// A program started by this process, spoken to over its standard input and output.
///
/// The contract is: a closed standard input ends the child. The runtime's end kills it.
public actor ChildProcess {
  /// How a child ended.
  public enum ExitStatus: Sendable, Equatable {
    case exited(code: Int)
    case killed(signal: Int)
  }

  /// The program could not be started, or has ended.
  public enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
    case notStarted(path: String, reason: String)
    case inputClosed(path: String)

    public var description: String {
      switch self {
      case .notStarted(let path, let reason): "\(path) could not be started: \(reason)"
      case .inputClosed(let path): "\(path) takes no more input: it has ended or was told to end"
      }
    }
  }

  nonisolated public let path: String
  nonisolated private let runtime: LoopRuntime
  // Written by libuv, on the loop's thread only.
  nonisolated(unsafe) private let process = UnsafeMutablePointer<uv_process_t>.allocate(capacity: 1)
  nonisolated private let input: PipeWriter
  nonisolated private let output: PipeReader
  nonisolated private let errors: PipeReader
  private var status: ExitStatus?
  private var waiters: [CheckedContinuation<ExitStatus, Never>] = []
  private var registration: ScheduledAction?
  private var errorReader: Task<Void, Never>?
  /// The process and its two outputs.
  private var openEnds = 3

  nonisolated public var unownedExecutor: UnownedSerialExecutor {
    runtime.loopExecutor.asUnownedSerialExecutor()
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: the program; searched in `PATH` when it has no slash.
  ///   - arguments: without the program's own name.
  ///   - environment: the child's whole environment; nil hands on this process's own.
  ///   - onErrorLine: called on the runtime's executor for each line of standard error.
  /// - Throws: `.notStarted` with the system's reason.
  public static func launch(
    _ path: String, arguments: [String] = [], environment: [String: String]? = nil,
    runtime: LoopRuntime, onErrorLine: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws(Failure) -> ChildProcess {
    let child = ChildProcess(path: path, runtime: runtime)
    try await child.start(arguments, environment, onErrorLine)
    return child
  }

  private init(path: String, runtime: LoopRuntime) {
    self.path = path
    self.runtime = runtime
    input = PipeWriter(executor: runtime.loopExecutor)
    output = PipeReader(executor: runtime.loopExecutor)
    errors = PipeReader(executor: runtime.loopExecutor)
  }

  deinit {
    process.deallocate()
  }

  /// The child's process id.
  public var processID: Int32 { process.pointee.pid }

  /// Writes to the child's standard input; suspends above 1 MiB unwritten.
  public func write(_ bytes: [UInt8]) async throws(Failure) {
    guard await input.write(bytes) else { throw .inputClosed(path: path) }
  }

  /// Closes the child's standard input once everything is written.
  public func closeInput() async {
    await input.end()
  }

  /// The next bytes of the child's standard output; nil at its end. One reader at a time.
  public func read() async -> [UInt8]? {
    await output.read()
  }

  /// Asks the child to end (SIGTERM).
  public func terminate() {
    signal(SIGTERM)
  }

  /// Ends the child now (SIGKILL).
  public func kill() {
    signal(SIGKILL)
  }

  /// Waits for the child's end.
  public func exitStatus() async -> ExitStatus {
    if let status { return status }
    return await withCheckedContinuation { waiters.append($0) }
  }

  /// Waits until every line of standard error was handed over. It may be open for longer than the
  /// child lives: until the last process that inherited it has ended.
  public func endOfErrors() async {
    await errorReader?.value
  }

  private func signal(_ number: Int32) {
    guard status == nil else { return }
    uv_process_kill(process, number)
  }

  private func start(
    _ arguments: [String], _ environment: [String: String]?,
    _ onErrorLine: @escaping @Sendable (String) -> Void
  ) async throws(Failure) {
    await input.open()
    let onEnd: @Sendable () -> Void = { [weak self] in
      self?.assumeIsolated { $0.endedOne() }
    }
    await output.open(onEnd: onEnd)
    await errors.open(onEnd: onEnd)
    let result = spawn(arguments, environment)
    guard result == 0 else {
      uv_close(handle(process)) { handle in
        Unmanaged<ChildProcess>.fromOpaque(handle!.pointee.data).release()
      }
      await closePipes()
      throw .notStarted(path: path, reason: String(cString: uv_strerror(result)))
    }
    registration = runtime.whenStopping { [weak self] in await self?.stop() }
    await output.start()
    await errors.start()
    let errors = errors
    errorReader = Task {
      var lines = LineSplitter()
      while let bytes = await errors.read() {
        for line in lines.feed(bytes) { onErrorLine(line) }
      }
      if let line = lines.finish() { onErrorLine(line) }
    }
  }

  private func spawn(_ arguments: [String], _ environment: [String: String]?) -> Int32 {
    // libuv keeps the child until it has closed its handle, after the child's end.
    process.pointee = uv_process_t()
    process.pointee.data = Unmanaged.passRetained(self).toOpaque()
    var stdio = [stream(input.pipe), stream(output.pipe), stream(errors.pipe)].enumerated().map {
      descriptor, pipe in
      var container = uv_stdio_container_t()
      let direction = descriptor == 0 ? UV_READABLE_PIPE : UV_WRITABLE_PIPE
      container.flags = uv_stdio_flags(UV_CREATE_PIPE.rawValue | direction.rawValue)
      container.data.stream = pipe
      return container
    }
    return withCStrings([path] + arguments) { arguments in
      withCStrings((environment ?? [:]).map { "\($0.key)=\($0.value)" }.sorted()) { variables in
        stdio.withUnsafeMutableBufferPointer { stdio in
          var options = uv_process_options_t()
          options.exit_cb = childProcessExited
          options.file = UnsafePointer(arguments[0])
          options.args = arguments
          options.env = environment == nil ? nil : variables
          // Ctrl-C at the terminal is for us alone; the child ends when its input is closed.
          options.flags = UV_PROCESS_DETACHED.rawValue
          options.stdio_count = 3
          options.stdio = stdio.baseAddress
          return uv_spawn(runtime.loopExecutor.loop, process, &options)
        }
      }
    }
  }

  fileprivate func exited(_ status: ExitStatus) {
    self.status = status
    uv_close(handle(process)) { handle in
      Unmanaged<ChildProcess>.fromOpaque(handle!.pointee.data).release()
    }
    // Nobody reads what is still to be written. Output stays readable to its end.
    let input = input
    Task { await input.close() }
    for waiter in waiters { waiter.resume(returning: status) }
    waiters = []
    endedOne()
  }

  /// Once nothing of the child is open, the runtime's end has nothing to close.
  private func endedOne() {
    openEnds -= 1
    if openEnds == 0 { registration?.cancel() }
  }

  private func stop() async {
    kill()
    _ = await exitStatus()
    await closePipes()
  }

  private func closePipes() async {
    await input.close()
    await output.close()
    await errors.close()
  }
}

private func childProcessExited(
  _ process: UnsafeMutablePointer<uv_process_t>?, _ code: Int64, _ signal: Int32
) {
  let child = Unmanaged<ChildProcess>.fromOpaque(process!.pointee.data).takeUnretainedValue()
  child.assumeIsolated {
    $0.exited(signal == 0 ? .exited(code: Int(code)) : .killed(signal: Int(signal)))
  }
}

/// Lends `strings` as the null-terminated array of C strings that C functions expect.
private func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers = strings.map { strdup($0) } + [nil]
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!) }
}
