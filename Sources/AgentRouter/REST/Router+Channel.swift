import Foundation
import Networking
import SessionsModel
import Stores

/// The transcript channel (contract part 2): written by the router, read by everyone concerned.
extension Router {
  func getChannel(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    let (record, cid) = try await channel(of: id, call)
    let page = try await messages(of: record, call)
    var channel = page.json
    channel["cid"] = .string(cid)
    channel["messages"] = channel["items"]
    channel["items"] = nil
    return HTTPResponse(json: channel)
  }

  func listMessages(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    let (record, _) = try await channel(of: id, call)
    return HTTPResponse(json: try await messages(of: record, call).json)
  }

  /// Stores a message; the agent does not answer it (R10).
  func writeMessage(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    let request = try call.body(WriteMessageRequest.self)
    let (record, _) = try await channel(of: id, call)
    let message = TranscriptMessage(
      id: environment.runtime.makeID(), role: .user,
      userID: call.caller.userID ?? record.owner.userID, text: request.text,
      createdAt: environment.runtime.timestamp)
    try await commit([.message(message, record.key)])
    if let holder = try await directory.holder(id, for: call.caller) {
      await holder.announce(message)
    }
    return HTTPResponse(status: 201, json: message.json)
  }

  private func channel(
    of id: String, _ call: APICall
  ) async throws(APIError) -> (SessionRecord, cid: String) {
    // As for the responses.
    try? await directory.holder(id, for: call.caller)?.flush()
    let record = try await directory.record(id, for: call.caller)
    guard let cid = record.conversationID else {
      throw APIError(.channelNotFound, "The session \(id) keeps no transcript channel.")
    }
    return (record, cid)
  }

  private func messages(
    of record: SessionRecord, _ call: APICall
  ) async throws(APIError) -> WirePage<TranscriptMessage> {
    let page = try PageRequest(call.request, maximum: 200, scope: "messages \(record.id)")
    do throws(StoreError) {
      let found = try await environment.store.messages(of: record.key, page.storePage)
      return page.page(of: found) { $0 }
    } catch {
      throw APIError(error)
    }
  }
}
