import CLibWebSockets

/// Frames waiting to be written, in order, each with the headroom libwebsockets wants.
struct OutgoingFrames {
  struct Frame {
    /// Headroom, then payload. Never shared: a client's write masks the payload in place.
    var bytes: [UInt8]
    var kind: lws_write_protocol

    var payloadCount: Int { bytes.count - OutgoingFrames.headroom }
  }

  static let headroom = clws_headroom()
  /// Larger messages go out as fragments, so that pings and pongs slip between them.
  static let fragmentBytes = 16 << 10

  private var frames: [Frame] = []
  private var head = 0

  /// Payload bytes waiting.
  private(set) var unsentBytes = 0

  var isEmpty: Bool { head == frames.count }

  /// A message that fits one frame; nil for a longer one.
  static func single(_ message: WebSocketMessage) -> Frame? {
    switch message {
    case .text(var text):
      guard text.utf8.count <= fragmentBytes else { return nil }
      return text.withUTF8 { Frame(bytes: withHeadroom($0), kind: LWS_WRITE_TEXT) }
    case .binary(let bytes):
      guard bytes.count <= fragmentBytes else { return nil }
      return bytes.withUnsafeBufferPointer {
        Frame(bytes: withHeadroom($0), kind: LWS_WRITE_BINARY)
      }
    }
  }

  /// Adds a message.
  mutating func append(_ message: WebSocketMessage) {
    switch message {
    case .text(var text):
      text.withUTF8 { append($0, LWS_WRITE_TEXT) }
    case .binary(let bytes):
      bytes.withUnsafeBufferPointer { append($0, LWS_WRITE_BINARY) }
    }
  }

  /// Takes out the next frame.
  mutating func popFirst() -> Frame? {
    guard !isEmpty else { return nil }
    let frame = frames[head]
    frames[head].bytes = []
    head += 1
    unsentBytes -= frame.payloadCount
    if head == frames.count {
      frames.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 64, head * 2 > frames.count {
      frames.removeFirst(head)
      head = 0
    }
    return frame
  }

  mutating func removeAll() {
    self = OutgoingFrames()
  }

  private mutating func append(_ payload: UnsafeBufferPointer<UInt8>, _ kind: lws_write_protocol) {
    var start = 0
    repeat {
      let count = min(Self.fragmentBytes, payload.count - start)
      let isLast = start + count == payload.count
      var rawKind = (start == 0 ? kind : LWS_WRITE_CONTINUATION).rawValue
      if !isLast { rawKind |= LWS_WRITE_NO_FIN.rawValue }
      frames.append(
        Frame(
          bytes: withHeadroom(UnsafeBufferPointer(rebasing: payload[start..<start + count])),
          kind: lws_write_protocol(rawValue: rawKind)))
      start += count
    } while start < payload.count
    unsentBytes += payload.count
  }
}

/// A copy of `payload` behind the headroom libwebsockets wants.
func withHeadroom(_ payload: UnsafeBufferPointer<UInt8>) -> [UInt8] {
  let headroom = clws_headroom()
  return [UInt8](unsafeUninitializedCapacity: headroom + payload.count) { buffer, count in
    buffer[..<headroom].initialize(repeating: 0)
    _ = UnsafeMutableBufferPointer(rebasing: buffer[headroom...]).initialize(from: payload)
    count = headroom + payload.count
  }
}
