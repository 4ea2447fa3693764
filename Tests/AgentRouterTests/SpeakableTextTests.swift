import Testing

@testable import AgentRouter

@Suite struct SpeakableTextTests {
  @Test(arguments: [
    ("It is **very** *good*. ", "It is very good."),
    ("## Heading\n", "Heading"),
    ("- milk\n- bread\n", "milk bread"),
    ("See [the manual](https://a.example/m).", "See the manual."),
    ("Go to https://www.example.com/a?b=1 now.", "Go to example dot com now."),
    ("Use `make run`.", "Use make run."),
    ("Great! \u{1F389}", "Great!"),
    ("| a | b |\n|---|---|\n| 1 | 2 |\n", "a, b 1, 2"),
    ("2 * 3 is 6.", "2 * 3 is 6."),
    ("Café, naïve, Привет.", "Café, naïve, Привет."),
    ("---\n", ""),
  ])
  func whatHasNoSoundIsLeftOut(written: String, spoken: String) {
    var text = SpeakableText()
    #expect(text.spoken(written) == spoken)
  }

  @Test func codeIsNotReadAloudEvenOverSeveralPieces() {
    var text = SpeakableText()
    #expect(text.spoken("Like this:\n```swift\nlet a = 1\n") == "Like this:")
    #expect(text.spoken("let b = 2\n") == "")
    #expect(text.spoken("```\nThat is all.") == "That is all.")
  }
}
