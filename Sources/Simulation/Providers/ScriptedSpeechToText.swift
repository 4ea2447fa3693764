public import Networking
public import Providers
import Synchronization

/// A recogniser that hears the next line of its script, whatever the sound was.
///
/// It hears nothing in an utterance of less than 100 ms.
public final class ScriptedSpeechToText: SpeechToText {
  private let runtime: any Runtime
  private let lines: [String]
  private let delay: Duration
  private let faults: FaultPlan
  private let progress = Mutex((requests: 0, heard: 0))

  /// - Parameters:
  ///   - lines: what is heard, one utterance after the other.
  ///   - delay: from the end of an utterance to its words.
  public init(
    runtime: any Runtime, lines: [String], delay: Duration = .milliseconds(120),
    faults: FaultPlan = FaultPlan()
  ) {
    self.runtime = runtime
    self.lines = lines
    self.delay = delay
    self.faults = faults
  }

  public func begin() async throws(ProviderError) -> any TranscriptionRequest {
    let number = progress.withLock { progress in
      progress.requests += 1
      return progress.requests - 1
    }
    return Request(provider: self, fault: faults.byRequest[number])
  }

  private func nextLine() -> String {
    progress.withLock { progress in
      progress.heard += 1
      return lines.isEmpty ? "" : lines[(progress.heard - 1) % lines.count]
    }
  }

  private final class Request: TranscriptionRequest {
    private let provider: ScriptedSpeechToText
    private let fault: ProviderFault?
    private let samples = Mutex(0)

    init(provider: ScriptedSpeechToText, fault: ProviderFault?) {
      self.provider = provider
      self.fault = fault
    }

    func append(_ more: [Int16]) async {
      samples.withLock { $0 += more.count }
    }

    func finish() async throws(ProviderError) -> Transcript {
      try await ScriptedDelay.pass(provider.delay, fault: fault, runtime: provider.runtime)
      guard samples.withLock({ $0 }) >= 1_600 else { return Transcript(text: "") }
      return Transcript(text: provider.nextLine(), language: "en", decodeTime: provider.delay)
    }

    func cancel() async {}
  }
}
