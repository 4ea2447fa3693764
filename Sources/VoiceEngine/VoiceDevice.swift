/// A microphone and a speaker with the voice core between them.
///
/// Two implementations: ``VoiceEngine`` on ALSA and ``SimulatedVoiceDevice`` on a caller's clock.
/// Every method but ``wakeDescriptor`` has one role: the runtime's executor (one consumer of the
/// outputs, one producer of packets). None of them blocks, except `start` and `stop`, which open and
/// close the device.
public protocol VoiceDevice: AnyObject, Sendable {
  /// Opens the device and lets the sound flow. Where one side is gone and the other goes on, it opens
  /// what is gone and leaves the other alone.
  ///
  /// - Throws: ``AudioError`` with a sentence that says what to do.
  func start() throws(AudioError)

  /// Stops the sound and closes the device. Returns within a second; may be called in every state.
  func stop()

  /// Readable when ``drain(_:)`` has something to hand out. Valid from creation to deallocation.
  var wakeDescriptor: Int32 { get }

  /// Hands out everything that waits, oldest first within each kind, and clears the descriptor.
  func drain(_ body: (VoiceDeviceOutput) -> Void)

  /// Takes a packet of the agent's speech, ahead of time.
  ///
  /// - Returns: `false` when the queue (512 packets, about 10 s) is full; the packet was dropped and
  ///   counted.
  func receive(_ packet: SpeechPacket) -> Bool

  /// Drops everything of the generations below `generation`, with a fade of 10 ms.
  func flush(below generation: UInt32)

  /// Lets the agent's voice go on where a person's speaking stopped it: nothing was said after all.
  func release()

  /// Mutes the microphone in the core: silence is sent, and nothing of the microphone leaves it.
  func setMuted(_ muted: Bool)

  /// What the speaker has really played.
  var playout: PlayoutSnapshot { get }

  /// What is waited for, when the device was missing at its first start; `nil` once it was there.
  var missing: String? { get }

  /// What is open, how it runs, and the counters.
  var status: DeviceStatus { get }
}

extension VoiceDevice {
  public var missing: String? { nil }
}
