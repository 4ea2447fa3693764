/// What a device hands up.
///
/// Timestamps are capture frames at 48 kHz since creation, modulo 2^32: the axis of the packets'
/// own timestamps.
public enum VoiceDeviceOutput: Sendable, Hashable {
  /// 20 ms of the microphone, to be sent.
  case packet(SpeechPacket)
  /// The agent began or ceased to be heard at the speaker.
  case speaking(Bool, atTimestamp: UInt32)
  /// The person began or ceased to speak: the first or the last voiced sample.
  case localSpeech(Bool, atTimestamp: UInt32)
  /// How much of a generation was heard; at its start, at least every 200 ms, and at its end.
  case played(PlayoutProgress)
  /// The person speaks over the agent, of whose speech so much was heard.
  case bargeIn(BargeIn, PlayoutProgress)
  /// Whether the agent can be spoken over has changed; `DeviceStatus.echo` says the same.
  case duplex(isFull: Bool)
  /// Meters, 0 (-60 dBFS or less) to 1 (0 dBFS); the speaker's as it is heard. Every 100 ms.
  case levels(microphone: Float, speaker: Float)
  /// The device is gone; the sentence says why. Nothing follows until the next start.
  case deviceLost(String)
  /// The microphone or the speaker is gone and the other goes on; the sentence says which. It is taken
  /// back by the next ``VoiceDevice/start()``, while the agent's speech waits for its speaker.
  case partlyLost(String)
  /// The recording ended early, the conversation goes on; the sentence says why.
  case recordingEnded(String)
  /// The device ran dry or over; both directions were restarted and the timeline continues.
  case xrun
}
