import Providers
import SessionsModel
import Stores

// What the session's models cost, and by whom it is counted (R31, R41, R113).
extension LiveSession {
  /// Counts one request to a model; nil is one that failed.
  func charge(_ model: String, _ usage: ModelUsage?) {
    charge(agent.charge(for: model, usage))
  }

  /// Counts one request to a recogniser or a voice, which have no tokens.
  func chargeRequest() {
    var request = SessionUsage()
    request.requests = 1
    charge(request)
  }

  func charge(_ usage: SessionUsage) {
    record.usage += usage
    unbilled += usage
    environment.caps.spend(usage.tokens, app: record.app, user: record.owner.userID)
  }

  /// Hands over what was spent since the last time.
  ///
  /// The costs of an incognito session count too: they name its tags, and none of its words.
  func bill() {
    guard unbilled != SessionUsage() || unbilledMessages > 0 else { return }
    let entry = record.entry(unbilled, at: now, messages: unbilledMessages)
    unbilled = SessionUsage()
    unbilledMessages = 0
    costs.write([.usage(entry)])
  }
}
