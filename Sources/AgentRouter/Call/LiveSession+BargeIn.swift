import Providers
import SessionsModel

// The person speaks over the agent. The device decides that and has stopped the voice already; here
// is decided what it was.
extension LiveSession {
  /// The device's report of somebody speaking over the agent.
  func bargedIn(_ frame: Frame) {
    guard let generation = frame["generation"]?.intValue, isSpeaking(UInt32(clamping: generation))
    else { return }
    played(frame)
    if frame["confirmed"]?.boolValue == true {
      heldGeneration = nil
      interrupt(nil, askedBy: nil)
    } else {
      heldGeneration = UInt32(clamping: generation)
    }
  }

  /// Whether the device holds the running reply's voice and waits for a word.
  var isHeld: Bool { heldGeneration.map { isSpeaking($0) } ?? false }

  /// Nothing was said after all: the voice goes on where it stopped.
  func resumeSpeech() {
    guard isHeld, let generation = heldGeneration else { return }
    heldGeneration = nil
    sendToCall(Frame(.callResume, ["generation": .int(Int(generation))]))
  }

  /// What was said over the agent only says that somebody listens.
  ///
  /// - Returns: whether it did; then it is no turn, and the agent goes on.
  func takeBackchannel(_ text: String) -> Bool {
    guard isHeld, Backchannel.isOne(text) else { return false }
    emit(.backchannel, ["participant": participantValue, "text": .string(text)])
    emit(
      .decision,
      [
        "at": timestampValue, "kind": "backchannel", "reason": "the person listens",
        "participant": participantValue, "said": .string(text),
      ])
    resumeSpeech()
    return true
  }
}
