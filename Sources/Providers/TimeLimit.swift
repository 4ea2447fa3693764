package import Networking

/// Runs `operation` and gives it up when `limit` has passed on the runtime's clock.
///
/// The operation's task is cancelled then, and when the caller's task is.
/// - Throws: `.timedOut` with `sentence`, `.cancelled`, or what the operation throws.
package func withTimeLimit<Value: Sendable>(
  _ limit: Duration, on runtime: any Runtime, otherwise sentence: String,
  _ operation: @escaping @Sendable () async throws(ProviderError) -> Value
) async throws(ProviderError) -> Value {
  let outcome = Inbox<Value>(capacity: 1)
  let work = runtime.task {
    do throws(ProviderError) {
      _ = outcome.put(try await operation())
    } catch {
      outcome.fail(error)
    }
  }
  let expiry = runtime.after(limit) {
    outcome.fail(.timedOut(sentence))
    work.cancel()
  }
  defer {
    expiry.cancel()
    work.cancel()
  }
  guard let value = try await outcome.next() else {
    preconditionFailure("a time limit ends with a value or an error")
  }
  return value
}
