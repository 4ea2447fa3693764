import Foundation
public import Networking
public import Providers
import Synchronization

/// A voice whose every word is 250 ms of a pair of tones of its own, so that what was heard can be told
/// word by word (``ToneListener``).
public final class ScriptedTextToSpeech: TextToSpeech {
  /// Length of one word at 24 kHz.
  public static let samplesPerWord = 6_000

  private let runtime: any Runtime
  private let delay: Duration
  private let faults: FaultPlan
  private let log = Mutex<[String]>([])
  private let takenBackCount = Mutex(0)
  private let tellsWords: Bool

  /// - Parameters:
  ///   - delay: from a request to its first sample.
  ///   - tellsWords: whether it says where its words end.
  public init(
    runtime: any Runtime, delay: Duration = .milliseconds(15), tellsWords: Bool = true,
    faults: FaultPlan = FaultPlan()
  ) {
    self.tellsWords = tellsWords
    self.runtime = runtime
    self.delay = delay
    self.faults = faults
  }

  public var rate: Int { 24_000 }

  /// Everything that was asked to be spoken, in order.
  public var spoken: [String] { log.withLock { $0 } }

  /// Requests that were cancelled.
  public var takenBack: Int { takenBackCount.withLock { $0 } }

  public func speak(_ text: String, voice: String) async throws(ProviderError) -> any SpeechReply {
    let number = log.withLock { log in
      log.append(text)
      return log.count - 1
    }
    let words = text.split(whereSeparator: \.isWhitespace).map { TonePair(of: String($0)) }
    return Reply(voice: self, words: words, fault: faults.byRequest[number])
  }

  private final class Reply: SpeechReply {
    private let voice: ScriptedTextToSpeech
    private let words: [TonePair]
    private let fault: ProviderFault?
    private let position = Mutex((next: 0, cancelled: false))

    private var samples: Int { words.count * ScriptedTextToSpeech.samplesPerWord }

    var wordEnds: [Int] {
      guard voice.tellsWords else { return [] }
      return words.indices.map { ($0 + 1) * ScriptedTextToSpeech.samplesPerWord }
    }

    init(voice: ScriptedTextToSpeech, words: [TonePair], fault: ProviderFault?) {
      self.voice = voice
      self.words = words
      self.fault = fault
    }

    func next() async throws(ProviderError) -> [Int16]? {
      let start = position.withLock { position in
        position.next += 2_400
        return position.next - 2_400
      }
      if start == 0 {
        try await ScriptedDelay.pass(voice.delay, fault: fault, runtime: voice.runtime)
      }
      guard start < samples, fault != .silence, isLate || !position.withLock({ $0.cancelled })
      else { return nil }
      return (start..<min(samples, start + 2_400)).map { index in
        words[index / ScriptedTextToSpeech.samplesPerWord].sample(at: index, rate: 24_000)
      }
    }

    private var isLate: Bool {
      if case .late = fault { return true }
      return false
    }

    func cancel() async {
      let isFirst = position.withLock { position in
        defer { position.cancelled = true }
        return !position.cancelled
      }
      if isFirst { voice.takenBackCount.withLock { $0 += 1 } }
    }
  }
}
