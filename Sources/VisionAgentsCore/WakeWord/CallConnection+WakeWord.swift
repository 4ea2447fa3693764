import CallTransport
import Networking
import VoiceEngine

// A device that listens only after a word: the driver of `WakeWordGate`.
extension CallConnection {
  /// - Throws: why there is no detector: then the device does not join, for it would listen.
  func startListeningForWord() async throws {
    guard let wakeWord, listening == nil else { return }
    guard let make = environment.makeWakeWordDetector else {
      throw AgentsError.configuration(
        "This environment has no wake word; give it one, or join without.")
    }
    // First what can fail and leaves nothing open behind it.
    let sound = try PacketSound()
    let detector = try await make(wakeWord.name)
    listening = WakeWordListening(
      detector: detector, sound: sound, gate: WakeWordGate(followUp: wakeWord.followUp))
    snapshot.wakePhrase = detector.phrase
    snapshot.isAsleep = true
    runtime.task { await self.followCalls(of: detector) }
  }

  func stopListeningForWord() async {
    tellGate(.released)
    guard let detector = listening?.detector else { return }
    listening = nil
    snapshot.isAsleep = false
    await detector.close()
  }

  /// As if the word had been said.
  func call() {
    tellGate(.called)
  }

  private func followCalls(of detector: any WakeWordDetector) async {
    while await detector.nextCall(), listening?.detector === detector { tellGate(.called) }
    // One that was left behind ends too, perhaps when the next one listens already.
    guard isWanted, listening?.detector === detector else { return }
    // Without its detector the device would stay deaf, and say nothing.
    snapshot.failure = AgentsError.audio(
      "The wake word's detector has ended. Leave the call and join again.")
    publish()
  }

  /// Tells the gate who speaks.
  func tellGate(_ event: WakeWordGate.Event) {
    guard let actions = listening?.gate.handle(event) else { return }
    for action in actions {
      switch action {
      case .open(let isCalled):
        snapshot.isAsleep = false
        let kept = listening?.takeKept() ?? []
        // What was said before an agent began by itself was not for it.
        if isCalled { sendPackets(kept.map(MediaFrame.init)) }
        publish()
      case .close:
        snapshot.isAsleep = true
        publish()
      case .pause(let duration, let number):
        runtime.after(duration) { [weak self] in
          self?.assumeIsolated { $0.tellGate(.pauseOver(number)) }
        }
      }
    }
  }

  /// What of the microphone goes to the call: everything, or after its word only.
  func throughWakeWord(_ packets: [SpeechPacket]) -> [MediaFrame] {
    guard listening != nil else { return packets.map(MediaFrame.init) }
    let passed = listening?.pass(packets) ?? []
    feedDetector()
    return passed.map(MediaFrame.init)
  }

  private func feedDetector() {
    guard let detector = listening?.detector, listening?.isFeeding == false else { return }
    listening?.isFeeding = true
    runtime.task { await self.pumpSamples(to: detector) }
  }

  private func pumpSamples(to detector: any WakeWordDetector) async {
    while let samples = takeSamples() { await detector.hear(samples) }
  }

  private func takeSamples() -> [Int16]? {
    guard let samples = listening?.samples, !samples.isEmpty else {
      listening?.isFeeding = false
      return nil
    }
    listening?.samples = []
    return samples
  }
}
