import Foundation

/// A recording as a player reads it: by its header.
struct RecordedFile {
  var microphone: [Int16] = []
  var speaker: [Int16] = []

  struct NotAWave: Error {}

  init(_ path: String) throws {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    func word(_ at: Int) -> Int {
      (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
    }
    guard bytes.count >= 44, bytes[0..<4].elementsEqual("RIFF".utf8),
      bytes[8..<16].elementsEqual("WAVEfmt ".utf8), bytes[36..<40].elementsEqual("data".utf8),
      word(24) == 48_000, word(20) == 0x0002_0001, bytes[34] == 16,
      word(4) == word(40) + 36, word(40) <= bytes.count - 44
    else { throw NotAWave() }
    for frame in stride(from: 44, to: 44 + word(40) - 3, by: 4) {
      microphone.append(Int16(bitPattern: UInt16(bytes[frame]) | UInt16(bytes[frame + 1]) << 8))
      speaker.append(Int16(bitPattern: UInt16(bytes[frame + 2]) | UInt16(bytes[frame + 3]) << 8))
    }
  }
}

/// A folder of its own for one test; removed with the object.
final class ScratchFolder {
  let path = FileManager.default.temporaryDirectory
    .appendingPathComponent("voice-engine-\(UUID().uuidString)").path

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    // Only a test's own leftovers: nothing depends on their going.
    try? FileManager.default.removeItem(atPath: path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }
  var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}

/// Samples as the recording holds them.
func pcm16(_ samples: [Float]) -> [Int16] {
  samples.map { Int16(clamping: Int(($0 * 32_768).rounded(.toNearestOrEven))) }
}
