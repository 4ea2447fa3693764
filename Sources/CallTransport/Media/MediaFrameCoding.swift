extension MediaFrame {
  /// Reads a frame from one binary WebSocket message.
  ///
  /// - Throws: the first rule of the wire form that `bytes` break.
  public init(decoding bytes: [UInt8]) throws(MediaFrameError) {
    guard bytes.count >= Self.headerBytes else { throw .tooShort(bytes: bytes.count) }
    guard bytes.count <= Self.maximumBytes else { throw .tooLong(bytes: bytes.count) }
    guard bytes[0] == Self.version else { throw .unknownVersion(bytes[0]) }
    guard let kind = Kind(rawValue: bytes[1]) else { throw .unknownKind(bytes[1]) }
    self.init(
      kind: kind,
      participant: UInt16(bytes[2]) | UInt16(bytes[3]) << 8,
      generation: Self.word(bytes, at: 4),
      sequence: Self.word(bytes, at: 8),
      timestamp: Self.word(bytes, at: 12),
      payload: Array(bytes[Self.headerBytes...]))
    try checkPayload()
  }

  /// The frame as one binary WebSocket message.
  ///
  /// - Throws: when the payload is too long for the wire or does not suit the kind.
  public func encoded() throws(MediaFrameError) -> [UInt8] {
    try checkPayload()
    var bytes = [UInt8]()
    bytes.reserveCapacity(Self.headerBytes + payload.count)
    bytes.append(Self.version)
    bytes.append(kind.rawValue)
    bytes.append(UInt8(truncatingIfNeeded: participant))
    bytes.append(UInt8(truncatingIfNeeded: participant >> 8))
    for word in [generation, sequence, timestamp] {
      for shift in stride(from: 0, to: 32, by: 8) as StrideTo<UInt32> {
        bytes.append(UInt8(truncatingIfNeeded: word >> shift))
      }
    }
    bytes.append(contentsOf: payload)
    return bytes
  }

  private func checkPayload() throws(MediaFrameError) {
    let bytes = payload.count
    guard bytes <= Self.maximumPayloadBytes else { throw .tooLong(bytes: Self.headerBytes + bytes) }
    let allowed =
      switch kind {
      case .opus: bytes > 0
      case .pcm16: bytes > 0 && bytes % 2 == 0
      case .end: bytes == 0
      }
    guard allowed else { throw .payloadNotAllowed(kind: kind, bytes: bytes) }
  }

  private static func word(_ bytes: [UInt8], at offset: Int) -> UInt32 {
    UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset + 2]) << 16
      | UInt32(bytes[offset + 3]) << 24
  }
}
