/// Mono PCM16 in a RIFF WAVE file.
enum WaveFile {
  /// The bytes of a file with these samples.
  static func bytes(of samples: [Int16], rate: Int) -> [UInt8] {
    let size = samples.count * 2
    var bytes: [UInt8] = []
    bytes.reserveCapacity(44 + size)
    func put(_ value: Int, _ count: Int) {
      for shift in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
    }
    bytes += Array("RIFF".utf8)
    put(36 + size, 4)
    bytes += Array("WAVEfmt ".utf8)
    put(16, 4)
    put(1, 2)  // PCM
    put(1, 2)  // one channel
    put(rate, 4)
    put(rate * 2, 4)
    put(2, 2)
    put(16, 2)
    bytes += Array("data".utf8)
    put(size, 4)
    bytes += LittleEndianSamples.bytes(of: samples)
    return bytes
  }
}

/// Mono PCM16 as it crosses the network.
enum LittleEndianSamples {
  static func bytes(of samples: [Int16]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(samples.count * 2)
    for sample in samples {
      bytes.append(UInt8(truncatingIfNeeded: sample))
      bytes.append(UInt8(truncatingIfNeeded: sample >> 8))
    }
    return bytes
  }

  /// The samples of `bytes`, of which an odd last one is left out.
  static func samples(of bytes: ArraySlice<UInt8>) -> [Int16] {
    stride(from: bytes.startIndex, to: bytes.startIndex + bytes.count / 2 * 2, by: 2).map {
      Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
    }
  }
}
