import CLibWebSockets

/// The writing end of a pipe on the loop.
///
/// Bound: a writer suspends above 1 MiB unwritten and goes on below 128 KiB.
actor PipeWriter {
  static let highWaterBytes = 1 << 20
  static let lowWaterBytes = 128 << 10

  // Written by libuv, on the loop's thread only.
  nonisolated(unsafe) let pipe = UnsafeMutablePointer<uv_pipe_t>.allocate(capacity: 1)
  nonisolated private let executor: LoopExecutor
  private(set) var unwrittenBytes = 0
  private var writers: [CheckedContinuation<Void, Never>] = []
  private var ending = false
  private var closed = false

  init(executor: LoopExecutor) {
    self.executor = executor
  }

  deinit {
    pipe.deallocate()
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    executor.asUnownedSerialExecutor()
  }

  /// Makes the handle that the child's descriptor will be connected to.
  func open() {
    uv_pipe_init(executor.loop, pipe, 0)
    // libuv keeps the writer until it has closed the handle.
    pipe.pointee.data = Unmanaged.passRetained(self).toOpaque()
  }

  /// Writes to a descriptor of our own instead of a child's; libuv closes it with the pipe.
  func adopt(_ descriptor: Int32) -> Bool {
    uv_pipe_open(pipe, descriptor) == 0
  }

  /// Writes after everything written before.
  ///
  /// - Returns: false when the pipe has ended, and nothing was taken.
  func write(_ bytes: [UInt8]) async -> Bool {
    while unwrittenBytes > Self.highWaterBytes, !ending {
      await withCheckedContinuation { writers.append($0) }
    }
    guard !ending else { return false }
    guard !bytes.isEmpty else { return true }
    let request = WriteRequest(writer: self, bytes: bytes)
    unwrittenBytes += bytes.count
    if !request.begin(on: stream(pipe)) { close() }
    return true
  }

  /// Ends the pipe once everything is written.
  func end() {
    ending = true
    if unwrittenBytes == 0 { close() }
    wakeWriters()
  }

  /// Ends the pipe now.
  func close() {
    ending = true
    guard !closed else { return }
    closed = true
    uv_close(handle(pipe)) { handle in
      Unmanaged<PipeWriter>.fromOpaque(handle!.pointee.data).release()
    }
    wakeWriters()
  }

  fileprivate func wrote(_ count: Int, status: Int32) {
    unwrittenBytes -= count
    if status < 0 || (ending && unwrittenBytes == 0) { return close() }
    if unwrittenBytes < Self.lowWaterBytes { wakeWriters() }
  }

  private func wakeWriters() {
    let waiting = writers
    writers = []
    for writer in waiting { writer.resume() }
  }
}

/// One write under way, with its own copy of the bytes.
private final class WriteRequest {
  private let request = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
  private let bytes: UnsafeMutableBufferPointer<CChar>
  let writer: PipeWriter

  var count: Int { bytes.count }

  init(writer: PipeWriter, bytes: [UInt8]) {
    self.writer = writer
    self.bytes = .allocate(capacity: bytes.count)
    bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(self.bytes).copyMemory(from: $0) }
  }

  deinit {
    request.deallocate()
    bytes.deallocate()
  }

  /// Hands the bytes to libuv, which keeps the request until they are written.
  func begin(on stream: UnsafeMutablePointer<uv_stream_t>) -> Bool {
    let retained = Unmanaged.passRetained(self)
    request.pointee.data = retained.toOpaque()
    var piece = uv_buf_t(base: bytes.baseAddress, len: bytes.count)
    guard uv_write(request, stream, &piece, 1, pipeWriterWrote) == 0 else {
      retained.release()
      return false
    }
    return true
  }
}

private func pipeWriterWrote(_ request: UnsafeMutablePointer<uv_write_t>?, _ status: Int32) {
  let done = Unmanaged<WriteRequest>.fromOpaque(request!.pointee.data).takeRetainedValue()
  let count = done.count
  done.writer.assumeIsolated { $0.wrote(count, status: status) }
}
