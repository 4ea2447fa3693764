import Networking
import Providers
import Synchronization

/// A recogniser whose words are the milliseconds of sound it was given.
final class CountingRecogniser: SpeechToText {
  private let runtime: any Runtime
  private let count = Mutex(0)

  init(runtime: any Runtime) {
    self.runtime = runtime
  }

  /// Requests begun so far.
  var requests: Int { count.withLock { $0 } }

  func begin() async throws(ProviderError) -> any TranscriptionRequest {
    count.withLock { $0 += 1 }
    return Request(runtime: runtime)
  }

  private final class Request: TranscriptionRequest {
    private let runtime: any Runtime
    private let samples = Mutex(0)

    init(runtime: any Runtime) {
      self.runtime = runtime
    }

    func append(_ more: [Int16]) async {
      samples.withLock { $0 += more.count }
    }

    func finish() async throws(ProviderError) -> Transcript {
      do {
        try await runtime.sleep(for: .milliseconds(120))
      } catch {
        throw .cancelled
      }
      return Transcript(text: "\(samples.withLock { $0 } / 16)")
    }

    func cancel() async {}
  }
}
