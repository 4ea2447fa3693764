import CallTransport
import VoiceEngine

extension MediaFrame {
  /// A packet of this device's microphone, for the wire.
  init(_ packet: SpeechPacket) {
    let kind: Kind =
      switch packet.kind {
      case .opus: .opus
      case .pcm16: .pcm16
      case .end: .end
      }
    self.init(
      kind: kind, participant: packet.participant, generation: packet.generation,
      sequence: packet.sequence, timestamp: packet.timestamp, payload: packet.payload)
  }
}

extension SpeechPacket {
  /// A frame of the agent's speech, for this device's core.
  init(_ frame: MediaFrame) {
    let kind: Kind =
      switch frame.kind {
      case .opus: .opus
      case .pcm16: .pcm16
      case .end: .end
      }
    self.init(
      generation: frame.generation, sequence: frame.sequence, timestamp: frame.timestamp,
      participant: frame.participant, kind: kind, payload: frame.payload)
  }
}
