public import Networking

/// Starts a worker as a child process.
public struct WorkerProcessLauncher: WorkerLauncher {
  private let path: String
  private let arguments: [String]
  private let runtime: LoopRuntime
  private let onLog: @Sendable (String) -> Void

  /// - Parameters:
  ///   - path: the worker's program.
  ///   - onLog: told each line of its standard error.
  public init(
    path: String, arguments: [String], runtime: LoopRuntime,
    onLog: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.path = path
    self.arguments = arguments
    self.runtime = runtime
    self.onLog = onLog
  }

  public func launch() async throws(ProviderError) -> any WorkerChannel {
    do throws(ChildProcess.Failure) {
      let process = try await ChildProcess.launch(
        path, arguments: arguments, runtime: runtime, onErrorLine: onLog)
      return WorkerProcess(process: process, runtime: runtime)
    } catch {
      throw .unavailable("\(error); run `make setup`, which builds the workers.")
    }
  }
}
