import Foundation
import VoiceEngine

/// `voice mute`: the microphone's switch on this device, kept over restarts.
enum MuteCommand: Command {
  static let name = "mute"
  static let summary = "Mute or unmute the microphone of this device, also of one that runs."
  static let words = "on | off | state"
  static let options: [Arguments.Option] = []

  static func run(_ raw: [String]) async throws -> Int32 {
    let arguments = try Arguments(raw, options: options, command: name, words: 1)
    let muteSwitch = Places().muteSwitch
    do throws(AudioError) {
      switch arguments.words.first {
      case "on": try muteSwitch.set(true)
      case "off": try muteSwitch.set(false)
      case nil, "state": break
      case .some(let word):
        throw AudioError(
          code: .unsupported,
          message: "unknown word \"\(word)\". `voice mute --help` shows what it takes.")
      }
    } catch {
      if error.code == .unsupported { throw UsageError("voice mute: \(error.message)") }
      throw FileFault(error.message)
    }
    StandardOutput.line(muteSwitch.isOn ? "The microphone is muted." : "The microphone is open.")
    return 0
  }
}
