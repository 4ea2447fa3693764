import Foundation
import VoiceEngine

/// `voice devices`: what can be heard and spoken with on this machine.
enum DevicesCommand: Command {
  static let name = "devices"
  static let summary = "List the sound cards of this machine and how to name them."
  static let options: [Arguments.Option] = []

  static func run(_ raw: [String]) async throws -> Int32 {
    _ = try Arguments(raw, options: options, command: name)
    let cards = AudioCard.all()
    let lines =
      describe(cards, refused: AudioCard.refusedCount())
      + realtime(isPermitted: AudioCard.isRealtimePermitted(), user: NSUserName())
    for line in lines { StandardOutput.line(line) }
    return 0
  }

  private static func describe(_ cards: [AudioCard], refused: Int) -> [String] {
    var lines = cards.flatMap(describe)
    if refused > 0 {
      lines.append(
        "\(refused) sound card\(refused == 1 ? "" : "s") may not be opened by this user. Add the "
          + "user to the group `audio` (sudo usermod -aG audio \(NSUserName())) and log in again.")
    } else if cards.isEmpty {
      lines.append("No sound card. `voice run` uses the simulated room on such a machine.")
    }
    if !cards.isEmpty {
      lines.append("Give a name as --capture (microphone) or --playback (speaker).")
    }
    return lines
  }

  private static func describe(_ card: AudioCard) -> [String] {
    ["\(card.id): \(card.name) (card \(card.index))"]
      + card.devices.map { device in
        let directions = [device.captures ? "microphone" : nil, device.plays ? "speaker" : nil]
          .compactMap(\.self).joined(separator: " + ")
        return "  \(device.pcm.padding(to: 32)) \(directions.padding(to: 20)) \(device.name)"
      }
  }

  private static func realtime(isPermitted: Bool, user: String) -> [String] {
    if isPermitted { return ["Realtime priority (SCHED_FIFO) is permitted."] }
    return [
      "Realtime priority (SCHED_FIFO) is not permitted: on a busy machine the sound may stutter.",
      "Put this line into /etc/security/limits.d/voice.conf and log in again:",
      "  \(user) - rtprio 40",
    ]
  }
}
