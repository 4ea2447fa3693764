import Networking
import Synchronization
import VoiceEngine

/// The room around the simulated device: steps it, lets the person speak, listens at the speaker.
final class SimulatedRoom: Sendable {
  private struct State {
    var device: SimulatedVoiceDevice?
    /// Capture frames of the open device.
    var frame = 0
    var isPlugged = true
    var person: SimulatedPerson
    var ear: SpeakerEar
  }

  private let state: Mutex<State>

  /// - Parameter isRecording: whether the ear keeps what it hears.
  init(seed: UInt64, isRecording: Bool) {
    state = Mutex(
      State(person: SimulatedPerson(seed: seed), ear: SpeakerEar(isRecording: isRecording)))
  }

  /// The device was opened: its capture axis begins.
  func opened(_ device: SimulatedVoiceDevice) {
    state.withLock { state in
      state.device = device
      state.frame = 0
    }
  }

  func closed() {
    state.withLock { $0.device = nil }
  }

  /// Whether the device is there.
  var isPlugged: Bool { state.withLock { $0.isPlugged } }

  func unplug() {
    state.withLock { state in
      state.isPlugged = false
      state.device?.lose(reason: "The simulated device was unplugged.")
    }
  }

  func plug() {
    state.withLock { $0.isPlugged = true }
  }

  var isOpen: Bool { state.withLock { $0.device != nil } }

  var frame: Int { state.withLock { $0.frame } }

  var ear: SpeakerEar { state.withLock { $0.ear } }

  /// Lets 10 ms pass.
  func step() {
    state.withLock { state in
      guard let device = state.device else { return }
      let heard = device.step(nearEnd: state.person.sound(at: state.frame))
      state.ear.hear(heard.speaker, at: state.frame)
      state.frame += SimulatedVoiceDevice.blockSamples
    }
  }

  func say(after delay: Duration, duration: Duration) -> Utterance {
    state.withLock { state in
      state.person.say(at: state.frame + Int(delay.milliseconds * 48), duration: duration)
    }
  }
}
