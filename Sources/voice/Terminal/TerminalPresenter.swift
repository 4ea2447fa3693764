import VisionAgentsCore

/// One live status line at the bottom, captions and timings above it.
@MainActor
final class TerminalPresenter: Presenter {
  private var statusLine = ""
  private var provisional = ""
  private let colour: Bool

  /// Width of the names that stand before captions, and of what hangs below them.
  private static let margin = 7
  /// Lamp, state and both meters with the spaces between and behind them, and one that stays free.
  private static let statusColumns = 55

  /// - Parameter colour: false when NO_COLOR is set.
  init(colour: Bool) {
    self.colour = colour
  }

  func status(_ state: AIVoiceAgentState, microphone: Float, speaker: Float) {
    let lamp = paint("●", Self.colour(of: state))
    let name = "\(state)".padding(to: 10)
    statusLine =
      "\(lamp) \(name)  mic \(LevelMeter.bar(microphone, width: 12))  "
      + "speaker \(LevelMeter.bar(speaker, width: 12))"
    // Only the last row can be wiped: a status that wrapped would stay.
    let room = TerminalWidth.current - Self.statusColumns
    if !provisional.isEmpty, room > 0 { statusLine += "  " + provisional.suffix(room) }
    redraw()
  }

  func caption(_ side: Side, _ text: String, isFinal: Bool) {
    guard isFinal else {
      provisional = text
      redraw()
      return
    }
    provisional = ""
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
