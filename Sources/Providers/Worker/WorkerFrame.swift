/// One frame of the worker protocol (contract, end of part 2): little-endian `u32 length` of what
/// follows, `u8 kind`, `u32 request`, payload.
struct WorkerFrame: Sendable, Equatable {
  enum Kind: UInt8, Sendable {
    /// A JSON object with a `type`.
    case control = 1
    /// Mono PCM16.
    case audio = 2
    /// UTF-8.
    case text = 3
  }

  /// Most bytes after the length field.
  static let longest = 1 << 20

  var kind: Kind
  /// The request it belongs to; 0 is the worker itself.
  var request: UInt32
  var payload: [UInt8]

  /// The frame as it goes through the pipe.
  var encoded: [UInt8] {
    precondition(payload.count <= Self.longest - 5, "a worker frame holds at most 1 MiB")
    var bytes: [UInt8] = []
    bytes.reserveCapacity(9 + payload.count)
    bytes.append(littleEndian: UInt32(5 + payload.count))
    bytes.append(kind.rawValue)
    bytes.append(littleEndian: request)
    bytes.append(contentsOf: payload)
    return bytes
  }

  /// A frame of speech.
  static func audio(_ samples: some Collection<Int16>, request: UInt32) -> WorkerFrame {
    var payload: [UInt8] = []
    payload.reserveCapacity(samples.count * 2)
    for sample in samples {
      payload.append(UInt8(truncatingIfNeeded: sample))
      payload.append(UInt8(truncatingIfNeeded: sample >> 8))
    }
    return WorkerFrame(kind: .audio, request: request, payload: payload)
  }

  /// The samples of a frame of speech; a trailing odd byte is dropped.
  var samples: [Int16] {
    (0..<payload.count / 2).map { index in
      Int16(bitPattern: UInt16(payload[2 * index]) | UInt16(payload[2 * index + 1]) << 8)
    }
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian value: UInt32) {
    for shift in stride(from: 0, to: 32, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> UInt32(shift)))
    }
  }
}
