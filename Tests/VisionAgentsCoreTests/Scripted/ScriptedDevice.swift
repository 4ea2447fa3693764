import Glibc
import Observation
import Synchronization
import VoiceEngine

/// A microphone and a speaker a test plays itself; what it was given can be waited for with `until`.
final class ScriptedDevice: VoiceDevice, Observable {
  private struct State {
    var outputs: [VoiceDeviceOutput] = []
    var received: [SpeechPacket] = []
    var flushes: [UInt32] = []
    var releases = 0
    var isMuted = false
    var isStopped = false
  }

  let wakeDescriptor: Int32
  private let writeEnd: Int32
  private let state = Mutex(State())
  private let observers = ObservationRegistrar()

  init() {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0, "no pipe")
    precondition(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0, "the pipe stays blocking")
    wakeDescriptor = ends[0]
    writeEnd = ends[1]
  }

  deinit {
    close(wakeDescriptor)
    close(writeEnd)
  }

  /// Something happens at the device.
  func happen(_ outputs: VoiceDeviceOutput...) {
    state.withLock { $0.outputs += outputs }
    var byte: UInt8 = 1
    precondition(write(writeEnd, &byte, 1) == 1, "the pipe is full")
  }

  var received: [SpeechPacket] {
    observers.access(self, keyPath: \.received)
    return state.withLock { $0.received }
  }

  var flushes: [UInt32] {
    observers.access(self, keyPath: \.flushes)
    return state.withLock { $0.flushes }
  }

  var releases: Int { state.withLock { $0.releases } }
  var isMuted: Bool { state.withLock { $0.isMuted } }
  var isStopped: Bool { state.withLock { $0.isStopped } }

  func start() throws(AudioError) {}
  func stop() { state.withLock { $0.isStopped = true } }

  func drain(_ body: (VoiceDeviceOutput) -> Void) {
    var bytes = [UInt8](repeating: 0, count: 4096)
    while read(wakeDescriptor, &bytes, bytes.count) > 0 {}
    let outputs = state.withLock { state in
      defer { state.outputs = [] }
      return state.outputs
    }
    for output in outputs {
      body(output)
    }
  }

  func receive(_ packet: SpeechPacket) -> Bool {
    state.withLock { $0.received.append(packet) }
    // Told afterwards: who looks on another thread at once is to find it.
    observers.withMutation(of: self, keyPath: \.received) {}
    return true
  }

  func flush(below generation: UInt32) {
    state.withLock { $0.flushes.append(generation) }
    observers.withMutation(of: self, keyPath: \.flushes) {}
  }

  func release() {
    state.withLock { $0.releases += 1 }
  }

  func setMuted(_ muted: Bool) {
    state.withLock { $0.isMuted = muted }
  }

  var playout: PlayoutSnapshot {
    PlayoutSnapshot(now: 0, isAudible: false, queuedPackets: 0, delayFrames: 0, progress: nil)
  }

  var status: DeviceStatus {
    DeviceStatus(
      isRunning: true, isMuted: isMuted, echo: .halfDuplex, capture: "", playback: "",
      isRealtime: false, notes: [], counters: DeviceCounters())
  }
}
