import Networking
import Simulation
import Synchronization
import Testing

/// Runs `body` on a simulated runtime until it returns; fails after `limit` of virtual time.
func simulated<Value: Sendable>(
  seed: UInt64 = 1, limit: Duration = .seconds(120),
  _ body: @escaping @Sendable (SimulatedRuntime) async throws -> Value
) throws -> Value {
  let runtime = SimulatedRuntime(seed: seed)
  let outcome = Mutex<Result<Value, any Error>?>(nil)
  Task(executorPreference: runtime.executor) {
    let result: Result<Value, any Error>
    do {
      result = .success(try await body(runtime))
    } catch {
      result = .failure(error)
    }
    outcome.withLock { $0 = result }
  }
  runtime.run(until: { outcome.withLock { $0 != nil } }, limit: limit)
  let result = try #require(
    outcome.withLock { $0 }, "seed \(seed): nothing came back within \(limit) of virtual time")
  return try result.get()
}
