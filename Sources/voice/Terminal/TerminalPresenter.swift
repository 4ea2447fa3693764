import VisionAgentsCore

/// One live status line at the bottom, captions and timings above it.
@MainActor
final class TerminalPresenter: Presenter {
  private var line = StatusLine()
  private var statusLine = ""
  private let colour: Bool

  /// Width of the names that stand before captions, and of what hangs below them.
  private static let margin = 7

  /// - Parameter colour: false when NO_COLOR is set.
  init(colour: Bool) {
    self.colour = colour
  }

  func status(_ state: AIVoiceAgentState, microphone: Float, speaker: Float) {
    line.state = state
    line.microphone = microphone
    line.speaker = speaker
    statusLine = line.text(columns: TerminalWidth.actual) { paint($0, Self.colour(of: state)) }
    redraw()
  }

  func caption(_ side: Side, _ text: String, isFinal: Bool) {
    guard isFinal else {
      line.provisional = text
      redraw()
      return
    }
    line.provisional = ""
    guard !text.isEmpty else { return }
    let (name, colour) = side == .person ? ("  you  ", 36) : ("agent  ", 35)
    print(text, behind: paint(name, colour))
  }

  func turn(_ report: TurnReport) {
    print(above: String(repeating: " ", count: Self.margin) + paint(report.line, 90))
  }

  func notice(_ sentence: String) {
    for line in TerminalWidth.lines(of: sentence, width: TerminalWidth.current) {
      print(above: line)
    }
  }

  func problem(_ sentence: String) {
    print(sentence, behind: paint("!      ", 33))
  }

  func summary(_ summary: RunSummary) {
    statusLine = ""
    redraw()
    StandardOutput.line(TurnTable.text(summary.turns, width: TerminalWidth.current))
    if let recording = summary.recording {
      StandardOutput.line("recording   \(recording)  (left: microphone, right: speaker)")
    }
    if let transcript = summary.transcript { StandardOutput.line("transcript  \(transcript)") }
    StandardOutput.line(summary.verdict)
  }

  private static func colour(of state: AIVoiceAgentState) -> Int {
    switch state {
    case .connecting: 33
    case .listening: 36
    case .thinking: 34
    case .speaking: 35
    case .idle: 90
    }
  }

  private func paint(_ text: String, _ code: Int) -> String {
    colour ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }

  /// A text behind a name of ``margin`` columns; its further lines hang below it.
  private func print(_ text: String, behind name: String) {
    let lines = TerminalWidth.lines(of: text, width: TerminalWidth.current - Self.margin)
    for (index, line) in lines.enumerated() {
      print(above: (index == 0 ? name : String(repeating: " ", count: Self.margin)) + line)
    }
  }

  private func print(above line: String) {
    StandardOutput.line("\r\u{1B}[K\(line)")
    redraw()
  }

  private func redraw() {
    StandardOutput.write("\r\u{1B}[K\(statusLine)")
  }
}

extension String {
  /// The text with spaces behind it up to `width` characters.
  func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
