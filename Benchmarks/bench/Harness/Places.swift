import Foundation

/// Where set-up keeps its files.
enum Places {
  static var cache: String {
    let environment = ProcessInfo.processInfo.environment
    return environment["VOICE_CACHE"]
      ?? environment["XDG_CACHE_HOME"].map { $0 + "/voice" }
      ?? NSHomeDirectory() + "/.cache/voice"
  }

  static var vadWeights: String { cache + "/models/silero_vad_16k.safetensors" }
  static var fixtures: String { cache + "/fixtures" }
}

/// A mono 16-bit WAV file's samples, -1..1.
func readWave(_ path: String) throws -> [Float] {
  let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  guard bytes.count > 44, bytes.starts(with: Array("RIFF".utf8)) else {
    throw BenchFailure("\(path) is not a WAV file.")
  }
  return stride(from: 44, to: bytes.count - 1, by: 2).map {
    Float(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)) / 32_768
  }
}
