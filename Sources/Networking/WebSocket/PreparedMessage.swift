/// A text message as a server's frame, made once for all sockets it goes to.
public struct PreparedMessage: Sendable {
  /// Head and payload: a server masks nothing, so that every socket gets the same bytes.
  let frame: [UInt8]

  /// - Parameter text: nil is returned for one that does not fit one frame; it has to be sent.
  public init?(text: String) {
    var text = text
    guard text.utf8.count <= OutgoingFrames.fragmentBytes else { return nil }
    frame = text.withUTF8 { payload in
      // RFC 6455, 5.2: the last frame of a text, then the length in 7 or in 16 bits.
      var bytes: [UInt8] = [0x81]
      bytes.reserveCapacity(payload.count + 4)
      if payload.count < 126 {
        bytes.append(UInt8(payload.count))
      } else {
        bytes += [126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
      }
      bytes += payload
      return bytes
    }
  }
}
