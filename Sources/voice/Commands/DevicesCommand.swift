import Foundation
import Networking
import SessionsModel
import VisionAgentsCore
import VoiceEngine

/// `voice devices`: what can be heard and spoken with on this machine.
enum DevicesCommand: Command {
  static let name = "devices"
  static let summary = "List the sound cards, how they stand and what would be opened."
  static let options = [
    Arguments.Option("--json", "for programs: one JSON object (with --watch one a line)"),
    Arguments.Option("--watch", "say when a card comes or goes, until Ctrl-C"),
    Arguments.Option("--set-levels", "unmute and set the mixers, and keep that for every start"),
    Arguments.Option("--card", value: "ID", "with --set-levels: only this card"),
    Arguments.Option("--playback-level", value: "N", "of the speaker, 0 to 100 (75)"),
    Arguments.Option("--capture-level", value: "N", "of the microphone, 0 to 100 (75)"),
    Arguments.Option("--capture", value: "PCM", "microphone to be opened (auto)"),
    Arguments.Option("--playback", value: "PCM", "speaker to be opened (auto)"),
  ]

  static func run(_ raw: [String]) async throws -> Int32 {
    let arguments = try Arguments(raw, options: options, command: name)
    if arguments.has("--set-levels") { return try setLevels(arguments) }
    for option in ["--card", "--playback-level", "--capture-level"] where arguments[option] != nil {
      throw UsageError("voice devices: \(option) goes with --set-levels.")
    }
    if arguments.has("--watch") { return await watch(arguments) }
    let report = DevicesReport(system: .here, device: try Places().device(arguments))
    if arguments.has("--json") {
      StandardOutput.line(report.json.serializedText)
    } else {
      for line in report.lines { StandardOutput.line(line) }
    }
    return 0
  }

  private static func setLevels(_ arguments: Arguments) throws -> Int32 {
    let setting = try LevelSetting(arguments, places: Places())
    var cards = SoundSystem.here.cards()
    if let id = arguments["--card"] {
      cards = cards.filter { $0.id == id || $0.identity.stableID == id }
      guard !cards.isEmpty else {
        throw FileFault("there is no sound card \(id). `voice devices` lists the cards there are.")
      }
    }
    guard !cards.isEmpty else { throw FileFault("there is no sound card whose levels to set.") }
    var hasFailed = false
    for card in cards {
      let (done, failed) = setting.apply(to: card)
      for line in done { StandardOutput.line(line) }
      for line in failed { Program.complain("\(card.id): \(line)") }
      hasFailed = hasFailed || !failed.isEmpty
    }
    return hasFailed ? 1 : 0
  }

  /// Cards as they come and go.
  private static func watch(_ arguments: Arguments) async -> Int32 {
    let runtime = LoopRuntime()
    let isJSON = arguments.has("--json")
    let (changes, more) = AsyncStream.makeStream(
      of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let watch = CardWatch(runtime: runtime, system: .here) { more.yield(()) }
    let following = watch.start()
    var known = SoundSystem.here.cards()
    let count = known.count
    StandardOutput.line(
      isJSON
        ? #"{"event":"watching","cards":\#(count)}"#
        : "Watching \(count) sound card\(count == 1 ? "" : "s"). Ctrl-C ends it.")
    for card in known { tell("present", card, isJSON: isJSON) }
    let reader = Task { @MainActor in
      for await _ in changes {
        let now = SoundSystem.here.cards()
        let before = known
        known = now
        for card in before where !now.contains(where: { $0.isSame(as: card) }) {
          tell("gone", card, isJSON: isJSON)
        }
        for card in now where !before.contains(where: { $0.isSame(as: card) }) {
          tell("come", card, isJSON: isJSON)
        }
      }
    }
    await Interruption().wait()
    following.cancel()
    more.finish()
    await reader.value
    return 0
  }

  private static func tell(_ event: String, _ card: AudioCard, isJSON: Bool) {
    if isJSON {
      let line: JSONValue = [
        "event": .string(event), "id": .string(card.id), "name": .string(card.name),
        "stable_id": .string(card.identity.stableID), "index": .int(card.index),
        "may_be_opened": .bool(!card.isForbidden),
      ]
      StandardOutput.line(line.serializedText)
    } else {
      StandardOutput.line(
        "\(event.padding(to: 8)) \(card.id.padding(to: 16)) \(card.name)  (\(card.identity.stableID))"
      )
    }
  }
}

extension AudioCard {
  /// The same hardware in the same place with the same permission.
  fileprivate func isSame(as other: AudioCard) -> Bool {
    index == other.index && identity == other.identity && isForbidden == other.isForbidden
      && devices.map(\.pcm) == other.devices.map(\.pcm)
  }
}
