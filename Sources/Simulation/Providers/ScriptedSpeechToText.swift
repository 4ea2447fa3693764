public import Networking
public import Providers
import Synchronization

/// A recogniser that hears the next line of its script, whatever the sound was.
///
/// It hears nothing in an utterance of less than 100 ms. A transcription has one result, so that a
/// plan with ``ProviderFault/duplicate`` is refused.
public final class ScriptedSpeechToText: SpeechToText {
  private let runtime: any Runtime
  private let lines: [String]
  private let delay: Duration
  private let faults: FaultPlan
  private let progress = Mutex((requests: 0, heard: 0, late: 0))

  /// What is heard in an utterance that was given up, when its words come all the same.
  public static let wordsTooLate = "Nobody wants these words."

  /// How many words came although they were no longer wanted.
  public var lateResults: Int { progress.withLock { $0.late } }

  /// - Parameters:
  ///   - lines: what is heard, one utterance after the other.
  ///   - delay: from the end of an utterance to its words.
  ///   - faults: a late one gives ``wordsTooLate`` to who no longer wants any.
  public init(
    runtime: any Runtime, lines: [String], delay: Duration = .milliseconds(120),
    faults: FaultPlan = FaultPlan()
  ) {
    precondition(!faults.byRequest.values.contains(.duplicate), "it has one result")
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
    private let progress = Mutex((samples: 0, isCancelled: false))

    init(provider: ScriptedSpeechToText, fault: ProviderFault?) {
      self.provider = provider
      self.fault = fault
    }

    func append(_ more: [Int16]) async {
      progress.withLock { $0.samples += more.count }
    }

    func finish() async throws(ProviderError) -> Transcript {
      try await ScriptedDelay.pass(provider.delay, fault: fault, runtime: provider.runtime)
      let (samples, isCancelled) = progress.withLock { $0 }
      if isCancelled { return try await giveLate() }
      guard samples >= 1_600 else { return Transcript(text: "") }
      return Transcript(text: provider.nextLine(), language: "en", decodeTime: provider.delay)
    }

    private func giveLate() async throws(ProviderError) -> Transcript {
      guard case .late(let delay) = fault else { throw .cancelled }
      try await ScriptedDelay.sleep(for: delay, provider.runtime)
      provider.progress.withLock { $0.late += 1 }
      return Transcript(text: ScriptedSpeechToText.wordsTooLate, language: "en")
    }

    func cancel() async {
      progress.withLock { $0.isCancelled = true }
    }
  }
}
