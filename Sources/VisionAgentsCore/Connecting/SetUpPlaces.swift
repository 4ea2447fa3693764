import Foundation

/// Where set-up puts what the SDK itself needs.
enum SetUpPlaces {
  /// `VOICE_CACHE`, else `voice` in the user's cache folder.
  static var cache: String {
    let variables = ProcessInfo.processInfo.environment
    if let folder = variables["VOICE_CACHE"], !folder.isEmpty { return folder }
    if let folder = variables["XDG_CACHE_HOME"], !folder.isEmpty { return folder + "/voice" }
    return NSHomeDirectory() + "/.cache/voice"
  }

  /// The speech detector's weights; nil when set-up has not been run, then the core judges speech by
  /// its energy.
  static var detectorWeights: String? {
    let path = "\(cache)/models/silero_vad_16k.safetensors"
    return FileManager.default.isReadableFile(atPath: path) ? path : nil
  }

  /// The wake word's detector.
  static var wakeWordProgram: String { cache + "/engines/current/bin/voice-wake" }
}
