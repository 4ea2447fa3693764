import Testing
import VisionAgentsCore

@testable import voice

@Suite struct StatusLineTests {
  private static let states: [AIVoiceAgentState] = [
    .connecting, .idle, .listening, .thinking, .speaking,
  ]
  private static let captions = [
    "", "Paris", String(repeating: "The capital of France is Paris. ", count: 20),
    "法国的首都是巴黎。一周有七天。", "Ελλάδα, 한국어, ภาษาไทย", "👩‍👩‍👧 fine ❤️", "two\nlines\tand\u{1B}[2J more",
  ]

  /// What is shown, without the colours.
  private func bare(_ text: String) -> String {
    text.replacing(/\u{1B}\[[0-9]+m/, with: "")
  }

  @Test func itIsNeverWiderThanTheTerminal() {
    var breaches: [String] = []
    for columns in 0...100 {
      for state in Self.states {
        for (number, caption) in Self.captions.enumerated() {
          let level = Float(number % 3) / 2
          let line = StatusLine(
            state: state, microphone: level, speaker: 1 - level, provisional: caption)
          let text = bare(line.text(columns: columns) { "\u{1B}[36m\($0)\u{1B}[0m" })
          let isOneLine = !text.contains { $0.isNewline || $0 == "\u{1B}" || $0 == "\t" }
          if TerminalWidth.columns(of: text) > max(0, columns - 1) || !isOneLine {
            breaches.append("\(columns) columns: \(text)")
          }
        }
      }
    }
    #expect(breaches == [])
  }

  @Test func aUsualTerminalShowsStateLevelsAndTheEndOfTheCaption() {
    let line = StatusLine(
      state: .listening, microphone: 0.5, speaker: 0,
      provisional: "what is the capital of the republic of France")
    #expect(
      line.text(columns: 80)
        == "● listening   mic ██████        speaker               of the republic of France")
  }

  @Test func aNarrowTerminalLosesTheCaptionFirstThenTheMeters() {
    let line = StatusLine(state: .speaking, microphone: 1, speaker: 1, provisional: "Paris")
    #expect(line.text(columns: 45) == "● speaking    mic ████████  speaker ████████")
    #expect(line.text(columns: 30) == "● speaking  ")
    #expect(line.text(columns: 8) == "● speak")
  }

  /// The control: what is measured as one column a character would have wrapped.
  @Test func wideLettersAreCountedAsTwoColumns() {
    #expect(TerminalWidth.columns(of: "巴黎 ok") == 7)
    #expect(TerminalWidth.columns(of: "👍") == 2)
    #expect(TerminalWidth.ending("巴黎巴黎", columns: 5) == "巴黎")
    #expect("巴黎巴黎".count == 4)
  }
}
