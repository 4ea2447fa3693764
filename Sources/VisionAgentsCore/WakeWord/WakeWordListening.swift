import VoiceEngine

/// What a call keeps while its device listens for a wake word.
struct WakeWordListening {
  /// What of the microphone goes out with the opening, 0.3 s: the detector is sure 0.11 s after the
  /// word's end (our measurement), and a question in the same breath has begun by then. The rest of the
  /// word that goes along is too short to be written down.
  static let packetsKept = 15
  /// Samples that wait for a detector that is behind; beyond it the oldest are dropped and counted.
  static let sampleBound = 2 * PacketSound.rate

  let detector: any WakeWordDetector
  let sound: PacketSound
  var gate: WakeWordGate
  /// The newest packets of the time asleep, oldest first.
  var kept: [SpeechPacket] = []
  var samples: [Int16] = []
  var droppedSamples = 0
  var isFeeding = false

  /// What of these packets goes to the call now; the detector's samples are taken along.
  mutating func pass(_ packets: [SpeechPacket]) -> [SpeechPacket] {
    for packet in packets { samples += sound.samples(of: packet) }
    if samples.count > Self.sampleBound {
      droppedSamples += samples.count - Self.sampleBound
      samples.removeFirst(samples.count - Self.sampleBound)
    }
    if gate.isOpen { return packets }
    kept = (kept + packets).suffix(Self.packetsKept)
    return []
  }

  /// The moment before the opening, once.
  mutating func takeKept() -> [SpeechPacket] {
    defer { kept = [] }
    return kept
  }
}
