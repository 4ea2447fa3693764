import Networking
import SessionsModel
import Stores

/// Commands of the public interface (contract part 1, 1.3): what came of a request that a client gave
/// an id of its own; backends only.
extension Router {
  func getCommand(
    _ id: String, _ commandID: String, _ call: APICall
  ) async throws(APIError) -> HTTPResponse {
    try call.requireBackend()
    return HTTPResponse(json: try await command(id, commandID, call).json)
  }

  /// Stops the reply to a command; one that is over stays as it is.
  ///
  /// - Throws: `dependency` when the store does not say what came of it.
  func interruptCommand(
    _ id: String, _ commandID: String, _ call: APICall
  ) async throws(APIError) -> HTTPResponse {
    try call.requireBackend()
    let before = try await command(id, commandID, call)
    guard before.state == .running, let holder = try await directory.holder(id, for: call.caller)
    else { return HTTPResponse(json: before.json) }
    try await holder.interrupt(requestID: commandID)
    return HTTPResponse(json: try await command(id, commandID, call).json)
  }

  private func command(
    _ id: String, _ commandID: String, _ call: APICall
  ) async throws(APIError) -> AgentCommand {
    let record = try await directory.record(id, for: call.caller)
    guard Identifier.isValidRequestID(commandID) else {
      throw APIError(
        .invalidID,
        "The command_id \(JSONValue.string(commandID)) is not 1 to 128 letters, digits, - and _.")
    }
    var turn: TurnRecord?
    if let holder = try await directory.holder(id, for: call.caller) {
      turn = try await holder.turn(requestID: commandID)
    } else {
      do throws(StoreError) {
        turn = try await environment.store.turn(of: record.key, requestID: commandID)
      } catch {
        throw APIError(error)
      }
    }
    guard let turn else {
      throw APIError(
        .responseNotFound, "The session has no command with the id \(commandID).")
    }
    return AgentCommand(turn.response)
  }
}
