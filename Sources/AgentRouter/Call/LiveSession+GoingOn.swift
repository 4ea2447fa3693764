import Providers
import SessionsModel
import Stores

// A person who goes on although their turn was thought to be over: nothing of the answer has been
// heard, so it is taken back, and what they say next belongs to what they said before.
extension LiveSession {
  /// Takes back an answer of which nothing was heard yet; keeps the words it would have answered.
  func takeBackUnheardAnswer() {
    guard let state = reply, state.turn.origin == .spoken, let speech = state.speech,
      speech.playedMilliseconds == 0, state.timings.heardAt == nil,
      // What a tool has done stays done: its result belongs to this turn.
      tools.open.isEmpty, !state.messages.contains(where: { $0.role == .tool })
    else { return }
    saidBefore = SaidBefore(text: state.turn.text)
    // The words come again with the next turn, and stand in the history once.
    reply?.messages = []
    takenBack += 1
    perform(turns.interrupt(requestID: state.turn.requestID))
  }

  /// The words of a turn with those of the turn that was taken back for it.
  func joined(_ text: String) -> String {
    guard let before = saidBefore else { return text }
    saidBefore = nil
    return text.isEmpty ? before.text : before.text + " " + text
  }
}

/// What a person had said when their turn was wrongly thought to be over.
struct SaidBefore {
  var text: String
}
