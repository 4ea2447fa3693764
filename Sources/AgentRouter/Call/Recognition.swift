import Networking

/// What is known of an utterance while its words are being found.
struct Recognition {
  var judge: TurnJudge
  var utterance: EndpointDetector.Utterance?
  var decidedAt: MonotonicInstant?
  /// What the end-of-turn model said last.
  var completeness: Float?
  /// When the person was last told that the words are still being looked for.
  var filledAt: MonotonicInstant?
  /// The pause that the detector is sure of; nil while the person speaks.
  private(set) var pause: Int?
  /// Counts how often the person went on: words that were looked for before are worth nothing.
  private(set) var silence = 0
  /// What was found of what was said so far.
  var earlyWords: String?

  init(judge: TurnJudge) {
    self.judge = judge
  }

  mutating func paused(number: Int) {
    pause = number
    judge.paused(number: number)
  }

  mutating func resumed() {
    pause = nil
    earlyWords = nil
    silence += 1
  }
}
