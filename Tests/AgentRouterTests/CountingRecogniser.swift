import Networking
import Providers
import Synchronization

/// A recogniser whose words are the milliseconds of sound it was given.
final class CountingRecogniser: SpeechToText {
  private let runtime: any Runtime
  private let count = Mutex(0)
  private let open = Open()

  /// The numbers of the requests that have neither their words nor been taken back.
  private final class Open: Sendable {
    let numbers = Mutex<Set<Int>>([])
  }

  init(runtime: any Runtime) {
    self.runtime = runtime
  }

  /// Requests begun so far.
  var requests: Int { count.withLock { $0 } }

  /// Requests that have neither their words nor been taken back.
  var openRequests: Int { open.numbers.withLock { $0.count } }

  func begin() async throws(ProviderError) -> any TranscriptionRequest {
    let number = count.withLock { count in
      count += 1
      return count
    }
    _ = open.numbers.withLock { $0.insert(number) }
    return Request(number: number, runtime: runtime, open: open)
  }

  private final class Request: TranscriptionRequest {
    private let number: Int
    private let runtime: any Runtime
    private let open: Open
    private let samples = Mutex(0)

    init(number: Int, runtime: any Runtime, open: Open) {
      self.number = number
      self.runtime = runtime
      self.open = open
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
      await cancel()
      return Transcript(text: "\(samples.withLock { $0 } / 16)")
    }

    func cancel() async {
      _ = open.numbers.withLock { $0.remove(number) }
    }
  }
}
