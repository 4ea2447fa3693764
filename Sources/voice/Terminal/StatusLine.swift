import VisionAgentsCore

/// The live line at the bottom of the terminal: state, both levels, the words being found.
///
/// It never takes the last column, and leaves away what does not fit: only the last row can be
/// wiped, so a status that wrapped would stay.
struct StatusLine {
  var state = AIVoiceAgentState.idle
  var microphone: Float = 0
  var speaker: Float = 0
  /// Words of the person or of the agent that may still change.
  var provisional = ""

  private static let lampColumns = 2
  private static let nameColumns = 10
  /// "  mic " and "  speaker ".
  private static let labelColumns = 16
  private static let widestMeter = 12
  private static let narrowestMeter = 3
  private static let gap = "  "

  /// - Parameters:
  ///   - columns: of the terminal.
  ///   - paint: colours the lamp; what it adds takes no column.
  func text(columns: Int, paint: (String) -> String = { $0 }) -> String {
    var room = columns - 1 - Self.lampColumns
    guard room >= 0 else { return "" }
    let name = TerminalWidth.fitting("\(state)".padding(to: Self.nameColumns), columns: room)
    var line = paint("●") + " " + name
    room -= TerminalWidth.columns(of: name)
    let meter = min(Self.widestMeter, (room - Self.labelColumns) / 2)
    guard meter >= Self.narrowestMeter else { return line }
    line += Self.gap + "mic " + LevelMeter.bar(microphone, width: meter)
    line += Self.gap + "speaker " + LevelMeter.bar(speaker, width: meter)
    room -= Self.labelColumns + 2 * meter + Self.gap.count
    let words = TerminalWidth.ending(provisional, columns: room)
    return words.isEmpty ? line : line + Self.gap + words
  }
}
