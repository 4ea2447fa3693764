import Testing

@testable import AgentRouter

@Suite struct SentenceEndTests {
  @Test(arguments: [
    ("I want to reset the uh", SentenceEnd.open),
    ("I want to reset the...", .open),
    ("Please call", .other),
    ("My name is", .open),
    ("My address is 12 Main Street, and", .open),
    ("Where are you from?", .question),
    ("What is this for", .open),
    ("Is it the", .open),
    ("My number is 555 1234.", .dictation),
    ("Five five five", .dictation),
    ("555", .dictation),
    ("What is the capital of?", .open),
    ("It is spelled J O H", .dictation),
    ("A table for 4.", .trailing),
    ("The code is 7/7.", .trailing),
    ("Wake me at 7:30.", .other),
    ("When I was in Italy last year.", .trailing),
    ("When does the museum open?", .question),
    ("If it rains, stay at home.", .other),
    ("If so.", .other),
    ("What is 5 plus 3?", .question),
    ("Turn it off.", .other),
    ("", .other),
  ])
  func wordsTellWhetherSomethingFollows(text: String, expected: SentenceEnd) {
    #expect(SentenceEnd(text) == expected)
  }

  /// A recogniser that closes sentences tells something by not closing one; another does not.
  @Test(arguments: [
    ("The best way to cook rice", SentenceEnd.trailing), ("Please call my doctor.", .other),
    ("下一站是哪里。", .other),
  ])
  func aMissingStopTellsSomethingOfARecogniserThatSetsThem(text: String, expected: SentenceEnd) {
    #expect(SentenceEnd(text, isPunctuated: true) == expected)
    #expect(SentenceEnd(text) == .other)
  }
}
