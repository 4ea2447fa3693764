import Networking
import SessionsModel
import Stores

extension Router {
  /// 202 once the turn has started; 200 with the first response when the request was seen before.
  func createResponse(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    let request = try call.body(CreateResponseRequest.self)
    let record = try await directory.record(id, for: call.caller)
    if let earlier = try await turn(of: record.key, request) {
      return HTTPResponse(json: earlier.response.json)
    }
    try await environment.caps.admit(call.caller)
    for _ in 1..<Self.openingsAtMost {
      let holder = try await directory.open(id, for: call.caller)
      do throws(APIError) {
        return HTTPResponse(status: 202, json: try await holder.createResponse(request).json)
      } catch  where error.code == .sessionEnded {
        // It ended between the two; whoever asks something opens it again (R53).
        await directory.settle()
      }
    }
    let holder = try await directory.open(id, for: call.caller)
    return HTTPResponse(status: 202, json: try await holder.createResponse(request).json)
  }

  /// How often a session that ends while it is asked something is opened again.
  private static let openingsAtMost = 3

  /// What happened a moment ago is part of what is read.
  private func settled(_ id: String, _ call: APICall) async throws(APIError) -> SessionRecord {
    // What could not be stored was told of; the rest is to be read all the same.
    try? await directory.holder(id, for: call.caller)?.flush()
    return try await directory.record(id, for: call.caller)
  }

  /// The turn that the same request started before, if it did.
  private func turn(
    of key: SessionKey, _ request: CreateResponseRequest
  ) async throws(APIError) -> TurnRecord? {
    guard let requestID = request.requestID else { return nil }
    let earlier: TurnRecord?
    do throws(StoreError) {
      earlier = try await environment.store.turn(of: key, requestID: requestID)
    } catch {
      throw APIError(error)
    }
    guard let earlier else { return nil }
    guard earlier.said == request.text else {
      throw APIError(
        .commandConflict, "The request_id \(requestID) was used for another text; choose a new one."
      )
    }
    return earlier
  }

  func listResponses(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    let page = try PageRequest(call.request, maximum: 200, scope: "responses \(id)")
    let record = try await settled(id, call)
    do throws(StoreError) {
      let found = try await environment.store.turns(of: record.key, page.storePage)
      return HTTPResponse(json: page.page(of: found, \.response).json)
    } catch {
      throw APIError(error)
    }
  }

  func listItems(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    let response = call.request.queryValue("response_id").flatMap { $0.isEmpty ? nil : $0 }
    // Public clients may ask for up to 1000 items.
    let page = try PageRequest(
      call.request, maximum: 1000, scope: "items \(id) \(response ?? "")")
    let record = try await settled(id, call)
    do throws(StoreError) {
      let found = try await environment.store.items(
        of: record.key, responseID: response, page.storePage)
      return HTTPResponse(json: page.page(of: found) { $0 }.json)
    } catch {
      throw APIError(error)
    }
  }

  /// The REST twin of the command `say`.
  func say(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    try call.requireBackend()
    let request = try call.body(SayRequest.self)
    guard let holder = try await directory.holder(id, for: call.caller) else {
      throw APIError(.sessionEnded, "The session has ended; attach to it before saying something.")
    }
    try await holder.say(request.text, interrupt: request.interrupt)
    return .noContent
  }

  /// The REST twin of the command `interrupt`; in an ended session there is nothing to stop.
  func interrupt(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    try call.requireBackend()
    let request = try call.body(InterruptRequest.self)
    if let holder = try await directory.holder(id, for: call.caller) {
      try await holder.interrupt(requestID: request.requestID)
    }
    return .noContent
  }
}
