/// Weighs, in a pause, how a person sounds against what they said, and says how much silence is to
/// end the turn. A value.
///
/// The words are waited for where the voice sounds finished: without them nothing can be answered,
/// so waiting costs nothing, and "my number is, um" is told from a sentence. Until both are known
/// the fixed silence stands, which also ends a turn whose recogniser or model is slow.
struct TurnJudge {
  private let configuration: TurnConfiguration
  private var pause = 0
  private var completeness: Float?
  private var words: SentenceEnd?

  init(_ configuration: TurnConfiguration) {
    self.configuration = configuration
  }

  /// The person pauses; what was known of an earlier pause is worth nothing.
  mutating func paused(number: Int) {
    pause = number
    completeness = nil
    words = nil
  }

  /// The end-of-turn model's probability that all is said.
  ///
  /// - Returns: the silence that ends the turn, in milliseconds; nil when nothing changes.
  mutating func heard(completeness: Float, inPause number: Int) -> Int? {
    guard number == pause else { return nil }
    self.completeness = completeness
    return silence
  }

  /// The words of what was said so far.
  ///
  /// - Returns: as ``heard(completeness:inPause:)``.
  mutating func heard(words text: String, inPause number: Int) -> Int? {
    guard number == pause else { return nil }
    words = SentenceEnd(text)
    return silence
  }

  private var silence: Int? {
    guard let completeness else { return nil }
    let least = configuration.completeMilliseconds
    let most = max(least, configuration.incompleteMilliseconds)
    let isComplete = completeness * 100 >= Float(configuration.completePercent)
    switch words {
    case nil: return isComplete ? nil : most
    case .open: return most
    case .dictation: return min(most, max(least, 1_500))
    case .question: return isComplete ? least : min(most, configuration.silenceMilliseconds)
    case .other:
      if isComplete { return least }
      // The surer the model, the longer the wait; never as long as for words that are broken off,
      // because it doubts one whole sentence in four of the embedded voice (20 measured).
      let doubt = completeness * 100 / Float(configuration.completePercent)
      return least + Int(Float(max(least, most / 2) - least) * (1 - doubt / 2))
    }
  }
}
