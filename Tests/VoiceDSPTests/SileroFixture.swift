import Foundation
import Testing

/// The committed piece of speech, what the reference said about it, and where its weights lie.
enum SileroFixture {
  /// The file `make setup` fetches.
  static var weightsPath: String {
    let environment = ProcessInfo.processInfo.environment
    let cache =
      environment["VOICE_CACHE"]
      ?? environment["XDG_CACHE_HOME"].map { $0 + "/voice" }
      ?? NSHomeDirectory() + "/.cache/voice"
    return cache + "/models/silero_vad_16k.safetensors"
  }

  static func samples() throws -> [Float] {
    let file = try Data(contentsOf: try url("silero-reference", "wav"))
    let bytes = [UInt8](file.dropFirst(44))
    return stride(from: 0, to: bytes.count - 1, by: 2).map {
      Float(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)) / 32_768
    }
  }

  static func probabilities() throws -> [Float] {
    try JSONDecoder().decode(
      [Float].self, from: Data(contentsOf: try url("silero-reference", "json")))
  }

  private static func url(_ name: String, _ type: String) throws -> URL {
    try #require(
      Bundle.module.url(forResource: name, withExtension: type, subdirectory: "Resources"))
  }
}
