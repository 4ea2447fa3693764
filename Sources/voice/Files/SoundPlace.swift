import Foundation
import VoiceEngine

extension SoundSystem {
  /// This machine's sound cards, or those that the environment names (`VOICE_SYSFS`, `VOICE_NODES`:
  /// folders instead of /sys and /dev/snd, for tests).
  static var here: SoundSystem {
    let environment = ProcessInfo.processInfo.environment
    var system = SoundSystem.machine
    if let sys = environment["VOICE_SYSFS"], !sys.isEmpty { system.sys = sys }
    if let nodes = environment["VOICE_NODES"], !nodes.isEmpty { system.nodes = nodes }
    return system
  }
}

extension Places {
  /// There while the microphone is muted.
  var muteSwitch: MuteSwitch { MuteSwitch(path: data.appending(path: "muted").path) }
  /// Where the knobs of each sound card are to stand.
  var keptLevels: KeptLevels { KeptLevels(path: data.appending(path: "levels.json").path) }

  /// A device as the options `--capture` and `--playback` name it, with what is kept of it here.
  /// - Throws: ``UsageError`` when a channel is no number.
  func device(
    _ arguments: Arguments, automatic: String = "auto"
  ) throws(UsageError) -> VoiceDeviceConfiguration {
    var device = VoiceDeviceConfiguration()
    device.capture = arguments["--capture"] ?? automatic
    device.playback = arguments["--playback"] ?? automatic
    device.microphoneChannel = try arguments.integer("--microphone-channel", in: 1...32) ?? 0
    device.referenceChannel = try arguments.integer("--reference-channel", in: 1...32) ?? 0
    device.muteSwitch = muteSwitch
    device.keptLevels = keptLevels
    device.keptLatency = KeptLatency(path: data.appending(path: "latency.json").path)
    let weights = voiceActivityWeights.path
    device.detectorWeights = FileManager.default.fileExists(atPath: weights) ? weights : nil
    if arguments.has("--full-duplex") { device.duplex = .automatic }
    return device
  }
}

extension Arguments.Option {
  /// Which device, and what of it.
  static let device = [
    Arguments.Option("--capture", value: "PCM", "microphone, as `voice devices` names it"),
    Arguments.Option("--playback", value: "PCM", "speaker, as `voice devices` names it"),
    Arguments.Option("--microphone-channel", value: "N", "the channel that is heard, from 1"),
    Arguments.Option(
      "--reference-channel", value: "N", "the microphone's channel with what the speaker plays"),
    Arguments.Option(
      "--full-duplex", "speak over the agent, once its echo is shown to be cancelled"),
  ]
}
