/// When a turn of the user is over: `turn:` of an agent in `router.yaml`.
public struct TurnConfiguration: Sendable, Hashable {
  /// Silence that ends a turn when nobody can judge whether the person is done, in milliseconds.
  public var silenceMilliseconds = 500
  /// Whether the end-of-turn model and the words are asked; without, the silence alone decides.
  public var isJudged = true
  /// Silence that ends a turn in which all seems said, in milliseconds.
  public var completeMilliseconds = 200
  /// Silence that ends a turn in which something seems to follow, in milliseconds.
  public var incompleteMilliseconds = 3_000
  /// From this probability of the end-of-turn model on, in percent, all seems said; the silence
  /// grows the further below it is. Measured: 97 % of whole sentences lie above 95, and of sentences
  /// broken off in the middle 11 %.
  public var completePercent = 95
  /// Whether the model and the voice begin on words that may not be the last.
  public var isAhead = true
  /// From the end of a turn until something is said, whatever the providers do, in milliseconds.
  public var answerBudgetMilliseconds = 3_000

  public init() {}
}

extension TurnConfiguration {
  init(_ section: inout ConfigurationSection) throws(ConfigurationError) {
    self.init()
    silenceMilliseconds = try section.int("silence_ms", in: 100...5000) ?? silenceMilliseconds
    isJudged = try section.bool("judged") ?? isJudged
    isAhead = try section.bool("ahead") ?? isAhead
    completeMilliseconds = try section.int("complete_ms", in: 100...5000) ?? completeMilliseconds
    incompleteMilliseconds =
      try section.int("incomplete_ms", in: 100...10_000) ?? incompleteMilliseconds
    completePercent = try section.int("complete_percent", in: 1...99) ?? completePercent
    answerBudgetMilliseconds =
      try section.int("answer_budget_ms", in: 500...60_000) ?? answerBudgetMilliseconds
    try section.refuseUnknownKeys()
  }
}
