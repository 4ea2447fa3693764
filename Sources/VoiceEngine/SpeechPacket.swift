/// One packet of speech: a media frame without its wire header.
public struct SpeechPacket: Sendable, Hashable {
  /// What the payload holds.
  public enum Kind: UInt8, Sendable, Hashable {
    /// One Opus frame of 20 ms.
    case opus = 1
    /// Little-endian 16-bit samples, 48 kHz, mono.
    case pcm16 = 2
    /// The end of a generation; no payload.
    case end = 3
  }

  /// The utterance of the agent it belongs to; 0 on the way up.
  public var generation: UInt32
  /// Counts the packets of one sender.
  public var sequence: UInt32
  /// First sample, in samples at 48 kHz; on the way up: capture frames.
  public var timestamp: UInt32
  /// The sender's index in the call.
  public var participant: UInt16
  /// What the payload holds.
  public var kind: Kind
  /// At most 1,276 bytes.
  public var payload: [UInt8]

  public init(
    generation: UInt32, sequence: UInt32, timestamp: UInt32, participant: UInt16, kind: Kind,
    payload: [UInt8]
  ) {
    self.generation = generation
    self.sequence = sequence
    self.timestamp = timestamp
    self.participant = participant
    self.kind = kind
    self.payload = payload
  }
}
