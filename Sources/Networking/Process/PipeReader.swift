import CLibWebSockets

/// The reading end of a pipe on the loop.
///
/// Bound: above 1 MiB unread the pipe is not read any more, so that the writer feels it.
actor PipeReader {
  static let maximumUnreadBytes = 1 << 20
  private static let pieceBytes = 64 << 10

  // Written by libuv, on the loop's thread only.
  nonisolated(unsafe) let pipe = UnsafeMutablePointer<uv_pipe_t>.allocate(capacity: 1)
  nonisolated private let executor: LoopExecutor
  nonisolated(unsafe) private let buffer = UnsafeMutablePointer<CChar>.allocate(
    capacity: PipeReader.pieceBytes)
  private var unread: [UInt8] = []
  private var waiter: CheckedContinuation<[UInt8]?, Never>?
  private var paused = true
  private var ended = false
  private var onEnd: (@Sendable () -> Void)?

  init(executor: LoopExecutor) {
    self.executor = executor
  }

  deinit {
    buffer.deallocate()
    pipe.deallocate()
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Makes the handle that the child's descriptor will be connected to.
  ///
  /// - Parameter onEnd: called on the loop at the pipe's end.
  func open(onEnd: @escaping @Sendable () -> Void) {
    self.onEnd = onEnd
    uv_pipe_init(executor.loop, pipe, 0)
    // libuv keeps the reader until it has closed the handle.
    pipe.pointee.data = Unmanaged.passRetained(self).toOpaque()
  }

  /// Reads from a descriptor of our own instead of a child's; libuv closes it with the pipe.
  func adopt(_ descriptor: Int32) -> Bool {
    uv_pipe_open(pipe, descriptor) == 0
  }

  /// Begins to read.
  func start() {
    guard !ended, paused else { return }
    paused = false
    uv_read_start(stream(pipe), pipeReaderBuffer, pipeReaderRead)
  }

  /// The next bytes; nil at the end. One reader at a time.
  func read() async -> [UInt8]? {
    if !unread.isEmpty {
      defer { unread = [] }
      start()
      return unread
    }
    if ended { return nil }
    precondition(waiter == nil, "a pipe has one reader at a time")
    return await withCheckedContinuation { waiter = $0 }
  }

  /// Ends the pipe; what was not read yet can still be read.
  func close() {
    guard !ended else { return }
    ended = true
    uv_close(handle(pipe)) { handle in
      Unmanaged<PipeReader>.fromOpaque(handle!.pointee.data).release()
    }
    waiter?.resume(returning: nil)
    waiter = nil
    onEnd?()
    onEnd = nil
  }

  fileprivate func lend() -> uv_buf_t {
    uv_buf_t(base: buffer, len: Self.pieceBytes)
  }

  fileprivate func arrived(_ count: Int) {
    guard count >= 0 else { return close() }
    let bytes = UnsafeRawBufferPointer(start: buffer, count: count)
    if let waiter, count > 0 {
      self.waiter = nil
      waiter.resume(returning: Array(bytes))
      return
    }
    unread.append(contentsOf: bytes)
    if unread.count > Self.maximumUnreadBytes {
      paused = true
      uv_read_stop(stream(pipe))
    }
  }
}

private func reader(of pointer: UnsafeMutableRawPointer?) -> PipeReader {
  Unmanaged<PipeReader>.fromOpaque(pointer!).takeUnretainedValue()
}

private func pipeReaderBuffer(
  _ handle: UnsafeMutablePointer<uv_handle_t>?, _: Int,
  _ lent: UnsafeMutablePointer<uv_buf_t>?
) {
  nonisolated(unsafe) let lent = lent
  reader(of: handle!.pointee.data).assumeIsolated { lent!.pointee = $0.lend() }
}

private func pipeReaderRead(
  _ stream: UnsafeMutablePointer<uv_stream_t>?, _ count: Int, _: UnsafePointer<uv_buf_t>?
) {
  reader(of: stream!.pointee.data).assumeIsolated { $0.arrived(count) }
}

/// A pipe is a stream: libuv's types share their first fields.
func stream(_ pipe: UnsafeMutablePointer<uv_pipe_t>) -> UnsafeMutablePointer<uv_stream_t> {
  UnsafeMutableRawPointer(pipe).assumingMemoryBound(to: uv_stream_t.self)
}
