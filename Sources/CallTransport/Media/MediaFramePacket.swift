public import CVoiceDSP

extension MediaFrame {
  /// A packet of the realtime core, ready for the wire.
  ///
  /// Nil when the packet's kind or length is none the wire knows, which a correct core never makes.
  public init?(_ packet: vd_packet) {
    guard let kind = Kind(rawValue: packet.kind), packet.bytes <= VD_PACKET_PAYLOAD_MAX else {
      return nil
    }
    let payload = withUnsafeBytes(of: packet.payload) { Array($0.prefix(Int(packet.bytes))) }
    self.init(
      kind: kind, participant: packet.participant, generation: packet.generation,
      sequence: packet.sequence, timestamp: packet.timestamp, payload: payload)
  }

  /// The frame as a packet of the realtime core; nil when its payload is longer than a packet
  /// holds (``VD_PACKET_PAYLOAD_MAX``, in bytes), which the receiver counts as malformed.
  public var packet: vd_packet? {
    guard payload.count <= VD_PACKET_PAYLOAD_MAX else { return nil }
    var packet = vd_packet()
    packet.kind = kind.rawValue
    packet.participant = participant
    packet.generation = generation
    packet.sequence = sequence
    packet.timestamp = timestamp
    packet.bytes = UInt16(payload.count)
    withUnsafeMutableBytes(of: &packet.payload) { $0.copyBytes(from: payload) }
    return packet
  }
}
