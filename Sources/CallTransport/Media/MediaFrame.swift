/// One packet of speech as it travels on the media WebSocket.
///
/// Wire form (contract part 3, little-endian): a 16-byte header of `u8` version, `u8` kind,
/// `u16` participant, `u32` generation, `u32` sequence, `u32` timestamp, then the payload.
public struct MediaFrame: Sendable, Equatable {
  /// What the payload holds.
  public enum Kind: UInt8, Sendable {
    /// One Opus packet of 20 ms.
    case opus = 1
    /// PCM, 16 bits, 48 kHz, mono, little-endian.
    case pcm16 = 2
    /// The end of a generation; the payload is empty.
    case end = 3
  }

  /// The only version of the header there is.
  public static let version: UInt8 = 1
  public static let headerBytes = 16
  /// Longest frame, header included, in bytes (contract part 3).
  public static let maximumBytes = 4096
  /// Longest payload in bytes.
  public static let maximumPayloadBytes = maximumBytes - headerBytes

  public var kind: Kind
  /// The sender's index on the call.
  public var participant: UInt16
  /// The utterance of the agent the packet belongs to; 0 on the way up.
  public var generation: UInt32
  /// Counts one sender's packets, modulo 2^32.
  public var sequence: UInt32
  /// The first sample, in 48 kHz samples, modulo 2^32; on the way up: capture frames.
  public var timestamp: UInt32
  public var payload: [UInt8]

  public init(
    kind: Kind, participant: UInt16 = 0, generation: UInt32 = 0, sequence: UInt32,
    timestamp: UInt32, payload: [UInt8] = []
  ) {
    self.kind = kind
    self.participant = participant
    self.generation = generation
    self.sequence = sequence
    self.timestamp = timestamp
    self.payload = payload
  }
}
