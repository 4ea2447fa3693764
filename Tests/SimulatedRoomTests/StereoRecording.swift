import Foundation

/// A room's recording as read back: left microphone, right speaker.
struct StereoRecording {
  let microphone: [Int16]
  let speaker: [Int16]
  /// Whether the header's sizes are those of the file.
  let headerIsTrue: Bool

  init(path: String) throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    let words = data.dropFirst(44).withUnsafeBytes { raw in
      (0..<raw.count / 2).map { raw.loadUnaligned(fromByteOffset: $0 * 2, as: Int16.self) }
    }
    microphone = stride(from: 0, to: words.count - 1, by: 2).map { words[$0] }
    speaker = stride(from: 1, to: words.count, by: 2).map { words[$0] }
    let sizes = data.withUnsafeBytes { raw in
      (
        raw.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
        raw.loadUnaligned(fromByteOffset: 40, as: UInt32.self)
      )
    }
    headerIsTrue = sizes == (UInt32(data.count - 8), UInt32(data.count - 44))
  }
}

/// Reproducible samples, loud enough to be told apart and never clipped.
func noise(_ count: Int, seed: UInt64, peak: Int16 = 8_000) -> [Int16] {
  var state = seed
  return (0..<count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int16(Int64(state >> 33) % Int64(2 * Int(peak)) - Int64(peak))
  }
}
