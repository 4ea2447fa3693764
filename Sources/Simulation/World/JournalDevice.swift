import Networking
import VoiceEngine

/// A device whose reports are noted before they are handed on.
final class JournalDevice: VoiceDevice {
  let device: SimulatedVoiceDevice
  private let journal: Journal
  private let runtime: any Runtime
  private let isPlugged: @Sendable () -> Bool

  /// - Parameter isPlugged: whether the device is there when it is started.
  init(
    _ device: SimulatedVoiceDevice, journal: Journal, runtime: any Runtime,
    isPlugged: @escaping @Sendable () -> Bool
  ) {
    self.isPlugged = isPlugged
    self.device = device
    self.journal = journal
    self.runtime = runtime
  }

  func drain(_ body: (VoiceDeviceOutput) -> Void) {
    let now = runtime.now.nanoseconds
    device.drain { output in
      switch output {
      case .speaking(let isSpeaking, let timestamp):
        note("speaking \(isSpeaking) at \(timestamp)", now)
      case .localSpeech(let isSpeaking, let timestamp):
        note("local speech \(isSpeaking) at \(timestamp)", now)
      case .bargeIn(let what, let progress):
        note("barge-in \(what) at \(progress.playedMilliseconds) ms", now)
      case .duplex(let isFull): note("duplex \(isFull ? "full" : "half")", now)
      case .deviceLost(let reason): note("lost: \(reason)", now)
      case .partlyLost(let reason): note("partly lost: \(reason)", now)
      case .xrun: note("xrun", now)
      default: break  // Packets and progress stand elsewhere; meters are no events.
      }
      body(output)
    }
  }

  private func note(_ text: String, _ now: Int64) {
    journal.note(Journal.Source.device, text, at: now)
  }

  func start() throws(AudioError) {
    guard isPlugged() else {
      throw AudioError(code: .noDevice, message: "The simulated device is not plugged in.")
    }
    try device.start()
    note("started", runtime.now.nanoseconds)
  }

  func stop() { device.stop() }
  var wakeDescriptor: Int32 { device.wakeDescriptor }
  func receive(_ packet: SpeechPacket) -> Bool { device.receive(packet) }
  func flush(below generation: UInt32) { device.flush(below: generation) }
  func release() { device.release() }
  func setMuted(_ muted: Bool) { device.setMuted(muted) }
  var playout: PlayoutSnapshot { device.playout }
  var status: DeviceStatus { device.status }
}
