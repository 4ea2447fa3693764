import Foundation

/// Where set-up puts the speech detector's weights.
enum DetectorWeights {
  static let fileName = "silero_vad_16k.safetensors"

  /// The file in `VOICE_CACHE`, else in the user's cache folder; nil when set-up has not been run,
  /// then the core judges speech by its energy.
  static var path: String? {
    let variables = ProcessInfo.processInfo.environment
    let cache: String
    if let folder = variables["VOICE_CACHE"], !folder.isEmpty {
      cache = folder
    } else if let folder = variables["XDG_CACHE_HOME"], !folder.isEmpty {
      cache = folder + "/voice"
    } else {
      cache = NSHomeDirectory() + "/.cache/voice"
    }
    let path = "\(cache)/models/\(fileName)"
    return FileManager.default.isReadableFile(atPath: path) ? path : nil
  }
}
