import Networking
import Providers
import SessionsModel
import Stores

/// A reply that was cut, as it was written down when the device's last word on it was still to come.
struct CutReply {
  /// Without the answer among its messages.
  var state: ReplyState
  /// Its messages as they stand in the history.
  var known: [ModelMessage]
  var place: Int?
  let cutAt: MonotonicInstant
}

// A cut takes effect at the device a way later, and what the device reports is up to 200 ms old: two
// words may have been heard that were not known of. Its report of the cut itself is the truth.
extension LiveSession {
  /// How long a prompt waits for it.
  static let lastReportLimit = Duration.milliseconds(250)
  private static let lastReportPoll = Duration.milliseconds(10)

  func awaitLastReport(_ state: ReplyState, known: [ModelMessage], at place: Int?) {
    cutReply = nil
    // An answer that was taken back is not remembered, heard or not.
    guard let speech = state.speech, speech.ledger != nil, room.publisher != nil,
      state.turn.origin == .say || !state.messages.isEmpty
    else { return }
    var state = state
    state.task = nil
    state.modelReply = nil
    state.ahead = nil
    state.speech?.voiceReply = nil
    cutReply = CutReply(state: state, known: known, place: place, cutAt: runtime.now)
  }

  /// The device has cut a generation and says how much of it was heard.
  func takeLastReport(_ frame: Frame) {
    guard frame["flushed"]?.boolValue == true, let cut = cutReply, let speech = cut.state.speech,
      frame["generation"]?.intValue == Int(speech.generation), let ledger = speech.ledger
    else { return }
    cutReply = nil
    let played = max(
      speech.playedMilliseconds, min(frame["played_ms"]?.intValue ?? 0, ledger.milliseconds))
    let heard = ledger.heard(playedMilliseconds: played)
    guard heard != cut.state.text else { return }
    write(heard, of: cut)
  }

  private func write(_ heard: String, of cut: CutReply) {
    var state = cut.state
    state.text = heard
    state.record.answer = heard
    var messages = state.messages
    let last = state.textOfLastStep
    if !last.isEmpty { messages.append(ModelMessage(.assistant, last)) }
    if let place = cut.place { history.replace(place, cut.known, with: messages) }
    remember(state.record)
    store(finished: state)
    // The answer was its last item, if anything was known to have been heard.
    let ordinal = cut.state.text.isEmpty ? state.nextItem : state.nextItem - 1
    var item = AgentResponseItem(
      responseID: state.turn.id, ordinal: ordinal, kind: .answer, at: now, text: heard)
    item.sessionID = record.id
    writer.write([.item(item, record.key)])
  }

  /// What is said next may refer to what was heard last.
  func waitForLastReport() async {
    while let cut = cutReply, runtime.now - cut.cutAt < Self.lastReportLimit {
      do {
        try await runtime.sleep(for: Self.lastReportPoll)
      } catch {
        return  // Cancelled: the turn was cut.
      }
    }
  }
}
