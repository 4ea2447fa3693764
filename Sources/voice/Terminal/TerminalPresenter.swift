import VisionAgentsCore

/// One live status line at the bottom, captions and timings above it.
@MainActor
final class TerminalPresenter: Presenter {
  private var statusLine = ""
  private var provisional = ""
  private let colour: Bool

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
    if !provisional.isEmpty { statusLine += "  " + provisional.suffix(60) }
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
    print(above: paint(side == .person ? "  you  " : "agent  ", side == .person ? 36 : 35) + text)
  }

  func turn(_ report: TurnReport) {
    print(above: paint("       " + report.line, 90))
  }

  func notice(_ sentence: String) {
    print(above: sentence)
  }

  func problem(_ sentence: String) {
    print(above: paint("!      " + sentence, 33))
  }

  func summary(_ summary: RunSummary) {
    statusLine = ""
    redraw()
    StandardOutput.line(TurnTable.text(summary.turns))
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
