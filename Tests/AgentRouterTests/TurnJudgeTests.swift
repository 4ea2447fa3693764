import Testing

@testable import AgentRouter

@Suite struct TurnJudgeTests {
  private func silence(_ completeness: Float?, _ words: String?) -> Int? {
    var judge = TurnJudge(TurnConfiguration())
    judge.paused(number: 1)
    var silence: Int?
    if let completeness { silence = judge.heard(completeness: completeness, inPause: 1) }
    if let words { silence = judge.heard(words: words, inPause: 1) }
    return silence
  }

  /// Short when all is said, long when something follows; nothing changes while one half is unknown
  /// and the other says "done".
  @Test(
    arguments: [
      (0.98, "What is the capital of France?", 200),
      (0.98, "Turn the light off.", 200),
      (0.98, "I want to reset the, um", 3_000),
      (0.98, "My number is 5 5 5", 1_500),
      (0.03, "What is the capital of Germany?", 500),
      (0.98, nil, nil),
      (0.1, nil, 3_000),
      (nil, "Turn the light off.", nil),
    ] as [(Float?, String?, Int?)])
  func theSilenceFollowsWhatIsKnown(completeness: Float?, words: String?, expected: Int?) {
    #expect(silence(completeness, words) == expected)
  }

  /// Half sure is not sure: such a voice may break off in the middle of a sentence.
  @Test func theWaitFallsWithCertaintyToTheShortest() throws {
    let waits = try [0.3, 0.5, 0.7, 0.9, 0.94, 0.96].map { probability in
      try #require(silence(probability, "The meeting is on Tuesday."))
    }
    #expect(zip(waits, waits.dropFirst()).allSatisfy { $0 >= $1 }, "\(waits)")
    #expect(waits[1] > 800 && waits[3] > 250 && waits[5] == 200, "\(waits)")
  }

  @Test func wordsThatMayGoOnWaitLongerHoweverSureTheVoiceIs() throws {
    let wait = try #require(silence(0.98, "When I was in Italy last year."))
    #expect(wait > 450 && wait < 800)
  }

  @Test func theSurerTheModelThatSomethingFollowsTheLongerTheWait() throws {
    let little = try #require(silence(0.4, "I went home."))
    let much = try #require(silence(0.05, "I went home."))
    #expect(little > 500 && much > little && much <= 3_000)
  }

  @Test func whatIsLearntOfAnEarlierPauseIsNotBelieved() {
    var judge = TurnJudge(TurnConfiguration())
    judge.paused(number: 1)
    _ = judge.heard(completeness: 0.99, inPause: 1)
    judge.paused(number: 2)
    #expect(judge.heard(words: "Yes.", inPause: 1) == nil)
    #expect(judge.heard(words: "Yes.", inPause: 2) == nil, "the sound of pause 2 is unknown")
    #expect(judge.heard(completeness: 0.99, inPause: 1) == nil)
  }

  @Test func aDoubtedQuestionIsJudgedOnceMoreAndThenBelieved() {
    var judge = TurnJudge(TurnConfiguration())
    judge.paused(number: 1)
    #expect(!judge.isInDoubt)
    _ = judge.heard(completeness: 0.8, inPause: 1)
    let doubted = judge.heard(words: "What is the largest ocean on Earth?", inPause: 1)
    #expect(judge.isInDoubt)
    let believed = judge.heard(completeness: 0.97, inPause: 1)
    #expect(!judge.isInDoubt)
    #expect(believed == 200 && doubted! > 200)
  }

  @Test func onlyAQuestionIsJudgedOnceMore() {
    var judge = TurnJudge(TurnConfiguration())
    judge.paused(number: 1)
    _ = judge.heard(completeness: 0.5, inPause: 1)
    _ = judge.heard(words: "The meeting is on Tuesday.", inPause: 1)
    #expect(!judge.isInDoubt)
  }
}
