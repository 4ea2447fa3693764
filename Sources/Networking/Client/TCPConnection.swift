import CLibWebSockets
import Glibc

/// A TCP connection on the loop: its two directions are read and written as a child's pipes are,
/// with their bounds, over two descriptors of one socket.
actor TCPConnection: ByteConnection {
  nonisolated private let runtime: LoopRuntime
  nonisolated private let reader: PipeReader
  nonisolated private let writer: PipeWriter
  private var registration: ScheduledAction?

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    runtime.loopExecutor.asUnownedSerialExecutor()
  }

  init(runtime: LoopRuntime) {
    self.runtime = runtime
    reader = PipeReader(executor: runtime.loopExecutor)
    writer = PipeWriter(executor: runtime.loopExecutor)
  }

  deinit {
    // libuv keeps both ends until they are closed; a connection that is let go is closed.
    let (reader, writer, registration) = (reader, writer, registration)
    runtime.loopExecutor.perform {
      registration?.cancel()
      reader.assumeIsolated { $0.close() }
      writer.assumeIsolated { $0.close() }
    }
  }

  /// Takes a connected socket over, and closes it in any case.
  ///
  /// - Returns: false when the process has no descriptor left.
  func open(_ descriptor: Int32) async -> Bool {
    let other = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    await reader.open(onEnd: {})
    await writer.open()
    let isOpen = await reader.adopt(descriptor)
    let isWritable = other >= 0 ? await writer.adopt(other) : false
    guard isOpen, isWritable else {
      if !isOpen { Glibc.close(descriptor) }
      if other >= 0, !isWritable { Glibc.close(other) }
      await close()
      return false
    }
    await reader.start()
    registration = runtime.whenStopping { [weak self] in await self?.close() }
    return true
  }

  func write(_ bytes: [UInt8]) async -> Bool {
    await writer.write(bytes)
  }

  func read() async -> [UInt8]? {
    await reader.read()
  }

  func close() async {
    registration?.cancel()
    registration = nil
    await reader.close()
    await writer.close()
  }
}
