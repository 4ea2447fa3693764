/// A level from 0 to 1 as a bar of eighths.
enum LevelMeter {
  static func bar(_ level: Float, width: Int) -> String {
    let eighths = Int((min(1, max(0, level)) * Float(width * 8)).rounded())
    let parts: [Character] = [" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
    var text = String(repeating: "█", count: eighths / 8)
    if eighths % 8 > 0 { text.append(parts[eighths % 8]) }
    return text + String(repeating: " ", count: max(0, width - text.count))
  }
}
