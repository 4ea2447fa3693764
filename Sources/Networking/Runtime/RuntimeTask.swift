extension Runtime {
  /// Starts a task whose every step runs on the executor.
  ///
  /// A plain `Task {}` inside an actor of the runtime is not enough: whenever it resumes from a
  /// continuation it first passes through the global pool and only then comes back to the actor's
  /// executor (measured with Swift 6.3.1), which breaks a simulation's order and costs a live loop
  /// two thread changes. The executor as the task's preference keeps it here.
  @discardableResult
  public func task<Success: Sendable>(
    _ operation: @escaping @Sendable () async -> Success
  ) -> Task<Success, Never> {
    Task(executorPreference: executor) { await operation() }
  }

  /// The same for an operation that may throw.
  @discardableResult
  public func throwingTask<Success: Sendable>(
    _ operation: @escaping @Sendable () async throws -> Success
  ) -> Task<Success, any Error> {
    Task(executorPreference: executor) { try await operation() }
  }
}
