import Networking
import Providers
import Synchronization

/// A recogniser that hears what was said: "long" or "short" for each stretch of sound.
///
/// In contrast to ``ScriptedSpeechToText`` the same sound gives the same words however often it is
/// asked, so that a word that is lost, or said twice, is seen.
final class ListeningSpeechToText: SpeechToText {
  private let runtime: any Runtime
  private let delay: Duration

  init(runtime: any Runtime, delay: Duration) {
    self.runtime = runtime
    self.delay = delay
  }

  func begin() async throws(ProviderError) -> any TranscriptionRequest {
    Request(runtime: runtime, delay: delay)
  }

  private final class Request: TranscriptionRequest {
    private let runtime: any Runtime
    private let delay: Duration
    private let progress = Mutex((samples: [Int16](), isCancelled: false))

    init(runtime: any Runtime, delay: Duration) {
      self.runtime = runtime
      self.delay = delay
    }

    func append(_ more: [Int16]) async {
      progress.withLock { $0.samples += more }
    }

    func finish() async throws(ProviderError) -> Transcript {
      try await ScriptedDelay.sleep(for: delay, runtime)
      let (samples, isCancelled) = progress.withLock { $0 }
      guard !isCancelled else { throw .cancelled }
      let words = StretchCounter.words(StretchCounter.isLong(in: samples))
      return Transcript(text: words, language: "en", decodeTime: delay)
    }

    func cancel() async {
      progress.withLock { $0.isCancelled = true }
    }
  }
}
