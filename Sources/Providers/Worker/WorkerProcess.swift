import Networking
import Synchronization

/// A worker's child process as a channel.
final class WorkerProcess: WorkerChannel {
  private let process: ChildProcess
  private let runtime: LoopRuntime
  private let hasEnded = Mutex(false)

  init(process: ChildProcess, runtime: LoopRuntime) {
    self.process = process
    self.runtime = runtime
  }

  func send(_ bytes: [UInt8]) async {
    do throws(ChildProcess.Failure) {
      try await process.write(bytes)
    } catch {
      // Its end is delivered by `receive()`, with the reason.
    }
  }

  func receive() async -> WorkerChannelEvent? {
    if let bytes = await process.read() { return .output(bytes) }
    let isNews = hasEnded.withLock { ended in
      defer { ended = true }
      return !ended
    }
    guard isNews else { return nil }
    switch await process.exitStatus() {
    case .exited(let code): return .ended("exit status \(code)")
    case .killed(let signal): return .ended("signal \(signal)")
    }
  }

  func kill() {
    let process = process
    runtime.task { await process.kill() }
  }
}
