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
    (
      "It is 20°C at 5 km/h, 80% sure.",
      "It is 20 degrees Celsius at 5 kilometers per hour, 80 percent sure."
    ),
    ("That is $5.50 or €1.", "That is 5.50 dollars or 1 euro."),
    ("Write to anna.b@example.com.", "Write to anna dot b at example dot com."),
    ("Take 3–5 of them, i.e. a few.", "Take 3 to 5 of them, that is, a few."),
    ("2 + 2 = 4", "2 plus 2 equals 4"),
    ("See docs.example.org today.", "See docs dot example dot org today."),
    ("Call 555-123-4567.", "Call 555-123-4567."),
    ("气温20°C。", "气温20C。"),
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
