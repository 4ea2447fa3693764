import VoiceEngine

/// `voice devices`: what can be heard and spoken with on this machine.
enum DevicesCommand: Command {
  static let name = "devices"
  static let summary = "List the sound cards of this machine and how to name them."
  static let options: [Arguments.Option] = []

  static func run(_ raw: [String]) async throws -> Int32 {
    _ = try Arguments(raw, options: options, command: name)
    let cards = AudioCard.all()
    guard !cards.isEmpty else {
      StandardOutput.line("No sound card. `voice run` uses the simulated room on such a machine.")
      return 0
    }
    for card in cards {
      StandardOutput.line("\(card.id)  \(card.name)")
      for device in card.devices {
        let directions = [device.captures ? "microphone" : nil, device.plays ? "speaker" : nil]
          .compactMap { $0 }.joined(separator: ", ")
        StandardOutput.line(
          "  \(device.pcm.padding(to: 32)) \(directions.padding(to: 20)) \(device.name)")
      }
    }
    return 0
  }
}
