public import Networking
public import Providers
import Synchronization

/// A model that hears and speaks itself: each word of its answer is 250 ms of a tone, so that what
/// was heard can be counted in words.
public final class ScriptedSpeechToSpeech: SpeechToSpeech {
  /// Length of one word at 24 kHz.
  public static let samplesPerWord = 6_000

  private let runtime: any Runtime
  private let answer: String
  private let delay: Duration
  private let isMute: Bool
  private let log = Mutex<[ModelPrompt]>([])

  /// - Parameters:
  ///   - answer: what it says to everything.
  ///   - delay: from a request to its first word.
  ///   - isMute: gives words and no sound.
  public init(
    runtime: any Runtime, answer: String, delay: Duration = .milliseconds(60),
    isMute: Bool = false
  ) {
    self.runtime = runtime
    self.answer = answer
    self.delay = delay
    self.isMute = isMute
  }

  /// Every prompt it was given, in order.
  public var prompts: [ModelPrompt] { log.withLock { $0 } }

  public func respond(to prompt: ModelPrompt) async throws(ProviderError) -> any ModelReply {
    log.withLock { $0.append(prompt) }
    return Reply(self)
  }

  private var events: [ModelEvent] {
    let words = answer.split(separator: " ").enumerated().flatMap { index, word in
      let text = ModelEvent.text(index == 0 ? String(word) : " \(word)")
      return isMute ? [text] : [text, .speech(Self.tone, rate: 24_000)]
    }
    return words + [.finished(ModelUsage(inputTokens: 8, outputTokens: words.count))]
  }

  /// 500 Hz at -12 dBFS.
  private static let tone = (0..<samplesPerWord).map { Int16($0 / 24 % 2 == 0 ? 8_000 : -8_000) }

  private final class Reply: ModelReply {
    private let runtime: any Runtime
    private let delay: Duration
    private let left: Mutex<(events: [ModelEvent], hasBegun: Bool)>

    init(_ model: ScriptedSpeechToSpeech) {
      runtime = model.runtime
      delay = model.delay
      left = Mutex((model.events, false))
    }

    func next() async throws(ProviderError) -> ModelEvent? {
      let isFirst = left.withLock { left in
        defer { left.hasBegun = true }
        return !left.hasBegun
      }
      if isFirst { try await ScriptedDelay.sleep(for: delay, runtime) }
      return left.withLock { $0.events.isEmpty ? nil : $0.events.removeFirst() }
    }

    func cancel() async {
      left.withLock { $0.events = [] }
    }
  }
}
