import Networking
import Synchronization

/// Asks the app for a token, and no longer than a limit: a request must not hang because an app's
/// backend does.
final class TokenRequest: Sendable {
  /// How long an app's provider may take.
  static let timeLimit = Duration.seconds(20)

  /// The app gave no token in time.
  struct TimedOut: Error, CustomStringConvertible {
    var description: String {
      "The token provider gave no token within \(TokenRequest.timeLimit.components.seconds) seconds."
    }
  }

  private let waiting = Mutex<CheckedContinuation<String, any Error>?>(nil)

  static func ask(
    _ provider: @escaping TokenProvider, _ environment: VisionAgents.Environment
  ) async throws -> String {
    let request = TokenRequest()
    return try await withCheckedThrowingContinuation { continuation in
      request.waiting.withLock { $0 = continuation }
      // Detached: an app's closure that blocks must not hold up the loop.
      let task = Task.detached(executorPreference: environment.appExecutor) {
        do {
          request.finish(.success(try await provider()))
        } catch {
          request.finish(.failure(error))
        }
      }
      environment.runtime.after(timeLimit) {
        if request.finish(.failure(AgentsError.transport(TimedOut()))) { task.cancel() }
      }
    }
  }

  /// - Returns: whether somebody was still waiting.
  @discardableResult
  private func finish(_ result: Result<String, any Error>) -> Bool {
    let continuation = waiting.withLock { waiting in
      defer { waiting = nil }
      return waiting
    }
    continuation?.resume(with: result)
    return continuation != nil
  }
}
