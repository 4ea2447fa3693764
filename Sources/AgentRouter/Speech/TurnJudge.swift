/// Weighs, in a pause, how a person sounds against what they said, and says how much silence is to
/// end the turn. A value.
///
/// The words are waited for where the voice sounds finished: without them nothing can be answered,
/// so waiting costs nothing, and "my number is, um" is told from a sentence. Until both are known
/// the fixed silence stands, which also ends a turn whose recogniser or model is slow.
struct TurnJudge {
  private let configuration: TurnConfiguration
  private let isPunctuated: Bool
  private var pause = 0
  private var completeness: Float?
  private var words: SentenceEnd?

  /// - Parameter isPunctuated: whether the recogniser has been seen to close sentences with a stop.
  init(_ configuration: TurnConfiguration, isPunctuated: Bool = false) {
    self.configuration = configuration
    self.isPunctuated = isPunctuated
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
    words = SentenceEnd(text, isPunctuated: isPunctuated)
    return silence
  }

  /// Whether the end-of-turn model should listen once more: more silence lets it tell a question that
  /// is over from one that goes on. Of four questions it had doubted after 100 ms it believed two
  /// after 250.
  var isInDoubt: Bool {
    guard let completeness, words == .question else { return false }
    return completeness < Float(configuration.completePercent) / 100
  }

  private var silence: Int? {
    guard let completeness else { return nil }
    let least = configuration.completeMilliseconds
    let most = max(least, configuration.incompleteMilliseconds)
    let fixed = min(most, max(least, configuration.silenceMilliseconds))
    let sure = Float(configuration.completePercent) / 100
    switch words {
    case nil: return completeness >= sure ? nil : most
    case .open: return most
    case .dictation: return min(most, max(least, 1_500))
    case .trailing: return Self.between(most / 2, fixed, completeness)
    case .question: return Self.wait(completeness, sure, least: least, doubt: fixed, most: fixed)
    case .other:
      return Self.wait(completeness, sure, least: least, doubt: most / 3, most: most / 2)
    }
  }

  /// How long to wait by the end-of-turn model alone: `least` when it is sure, `doubt` when it cannot
  /// tell, `most` when it is sure of the contrary.
  ///
  /// Near certainty the wait falls quickly. Whole sentences get 0.95 and more (77 of 80 of the embedded
  /// voice), sentences cut in the middle anything: 14 of 40 more than 0.5, 5 more than 0.95.
  private static func wait(
    _ completeness: Float, _ sure: Float, least: Int, doubt: Int, most: Int
  ) -> Int {
    guard completeness < sure else { return least }
    let middle = sure / 2
    guard completeness > middle else { return between(most, doubt, completeness / middle) }
    let share = (completeness - middle) / (sure - middle)
    return between(doubt, least, share * share)
  }

  private static func between(_ start: Int, _ end: Int, _ share: Float) -> Int {
    max(min(start, end), start + Int(Float(end - start) * share))
  }
}
