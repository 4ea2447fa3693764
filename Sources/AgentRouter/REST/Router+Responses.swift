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
    let holder = try await directory.open(id, for: call.caller)
    let response = try await holder.createResponse(request)
    return HTTPResponse(status: 202, json: response.json)
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
    let record = try await directory.record(id, for: call.caller)
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
    let record = try await directory.record(id, for: call.caller)
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
