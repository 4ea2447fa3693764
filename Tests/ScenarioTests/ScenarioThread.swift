import Dispatch
import Testing

/// One thread for all simulations: they never wait, so on the cooperative pool they would keep every
/// other test from going on.
final class ScenarioThread: TaskExecutor {
  static let shared = ScenarioThread()
  private let queue = DispatchQueue(label: "scenarios")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Runs the tests of a suite on the scenarios' thread.
struct OnScenarioThread: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  @concurrent
  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(ScenarioThread.shared) { try await function() }
  }
}

extension Trait where Self == OnScenarioThread {
  static var onScenarioThread: Self { OnScenarioThread() }
}
