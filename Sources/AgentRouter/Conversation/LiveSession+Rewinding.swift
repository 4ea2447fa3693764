import Networking
import Providers
import SessionsModel
import Stores

// Going back in a session that is live.
extension LiveSession {
  public func flush() async throws(APIError) {
    do throws(StoreError) {
      try await writer.flush()
    } catch {
      throw APIError(error)
    }
  }

  /// Abandons the reply in progress and forgets everything after a response.
  ///
  /// An id the session does not know stops nothing.
  public func rewind(to responseID: String) async throws(APIError) {
    try checkLive()
    try Rewinding.check(record)
    _ = try Rewinding.split(try await storedTurns(), behind: responseID)
    try checkLive()
    perform(turns.end())
    // What the device still reports of a reply that is forgotten must not bring it back.
    cutReply = nil
    let items = try await storedItems()
    let (kept, later) = try Rewinding.split(try await storedTurns(), behind: responseID)
    // A turn that somebody began meanwhile comes after the going back.
    let begun = Set(accepted.keys).union(reply.map { [$0.turn.id] } ?? [])
    let ticket = writer.write(
      Rewinding.changes(later.filter { !begun.contains($0.id) }, record.key))
    history = History(recorded: RecordedTurn.joined(kept, items))
    emit(.rewound, ["response_id": .string(responseID)])
    do throws(StoreError) {
      try await writer.written(ticket)
    } catch {
      throw APIError(error)
    }
  }

  private func storedItems() async throws(APIError) -> [AgentResponseItem] {
    try await flush()
    do throws(StoreError) {
      return try await environment.store.items(of: record.key, responseID: nil, .all).map(\.value)
    } catch {
      throw APIError(error)
    }
  }

  private func storedTurns() async throws(APIError) -> [TurnRecord] {
    try await flush()
    do throws(StoreError) {
      return try await environment.store.turns(of: record.key, .all).map(\.value)
    } catch {
      throw APIError(error)
    }
  }
}
