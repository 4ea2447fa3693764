extension SimulatedRuntime {
  /// The operation did not end within its limit.
  public struct NeverEnded: Error, CustomStringConvertible {
    let limit: Duration

    public var description: String { "It did not end within \(limit) of stepping." }
  }

  /// Steps the virtual clock until an operation of the main actor has ended, a millisecond at a time.
  ///
  /// - Parameter limit: of the time stepped here, beside what the operation lets pass itself; beyond
  ///   it the operation is cancelled.
  /// - Throws: what the operation threw, or ``NeverEnded``.
  @MainActor
  public func stepping<Value: Sendable>(
    limit: Duration = .seconds(120), _ operation: @escaping @MainActor () async throws -> Value
  ) async throws -> Value {
    var result: Result<Value, any Error>?
    let task = Task { @MainActor in
      do {
        result = .success(try await operation())
      } catch {
        result = .failure(error)
      }
    }
    var stepped = Duration.zero
    while true {
      if let result { return try result.get() }
      guard stepped < limit else {
        task.cancel()
        throw NeverEnded(limit: limit)
      }
      run(for: .milliseconds(1))
      stepped += .milliseconds(1)
      await Task.yield()
    }
  }
}
