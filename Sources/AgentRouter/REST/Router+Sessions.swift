import Foundation
import Networking
import SessionsModel
import Stores

extension Router {
  func createSession(_ call: APICall) async throws(APIError) -> HTTPResponse {
    let request = try call.body(CreateSessionRequest.self)
    let record = try await directory.create(request, by: call.caller)
    return show(record, call, status: 201)
  }

  func getSession(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    show(try await directory.record(id, for: call.caller), call)
  }

  func updateSession(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    let request = try call.body(UpdateSessionRequest.self)
    // Existence comes first, so that a refusal tells a stranger nothing.
    let record = try await directory.record(id, for: call.caller)
    if request.changesMoreThanLabels, !call.caller.isBackend {
      throw APIError(
        .fieldServerOnly, "A user's device may change title, description and custom only.")
    }
    try environment.checkModels(
      ModelOverwrites(llm: request.llm, stt: request.stt, tts: request.tts, sts: request.sts))
    if let holder = try await directory.holder(id, for: call.caller) {
      return show(try await holder.update(request), call)
    }
    if request.changesModels {
      throw APIError(
        .sessionEnded, "The session has ended; its models can be changed while it is live.")
    }
    let time = environment.runtime.timestamp
    let changed = try await directory.changeEnded(record.key) { record in
      record.applyLabels(of: request)
      record.applySettings(of: request)
      record.updatedAt = time
      return []
    }
    if let changed { return show(changed, call) }
    // Somebody opened it again meanwhile.
    guard let holder = try await directory.holder(id, for: call.caller) else {
      throw .sessionNotFound(id)
    }
    return show(try await holder.update(request), call)
  }

  func deleteSession(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    try await directory.delete(id, for: call.caller)
    return .noContent
  }

  func stopSession(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    try await directory.stop(id, for: call.caller)
    return .noContent
  }

  func startVoice(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    let holder = try await directory.open(id, for: call.caller)
    return show(try await holder.startVoice(), call)
  }

  /// A session that is in writing, or has ended, stays as it is.
  func stopVoice(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    guard let holder = try await directory.holder(id, for: call.caller) else {
      return try await getSession(id, call)
    }
    return show(try await holder.stopVoice(), call)
  }

  func querySessions(_ call: APICall) async throws(APIError) -> HTTPResponse {
    let query = try call.body(SessionQueryRequest.self)
    var selection = SessionSelection(
      app: call.caller.app, filter: query.filter,
      limit: (query.limit ?? SessionQueryRequest.defaultLimit) + 1)
    if !call.caller.isBackend {
      // A device sees its own, whatever user it names (R163).
      selection.owner = call.caller.owner
      selection.filter.userID = nil
    }
    selection.ordersByRelevance = query.filter.text != nil && query.effectiveSort == .relevance
    let scope =
      "sessions \(query.filter.json.serializedText) \(query.effectiveSort.rawValue) "
      + "\(selection.owner.map { "\($0.kind.rawValue) \($0.userID)" } ?? "")"
    if let cursor = query.cursor, !cursor.isEmpty {
      selection.after = try Self.position(cursor, scope: scope)
    }
    await directory.settle()
    await environment.unwritten.written(app: selection.app, owner: selection.owner)
    let found: [SessionRecord]
    do throws(StoreError) {
      found = try await environment.store.sessions(selection)
    } catch {
      throw APIError(error)
    }
    let shown = found.prefix(selection.limit - 1)
    let last = found.count == selection.limit ? shown.last : nil
    let page = WirePage(
      items: shown.map { body(of: $0, call) },
      nextCursor: last.map {
        let place = selection.position(of: $0)
        return PageCursor.encode(
          [.int(place.score), .int(place.updatedAt), .string(place.id)], scope: scope)
      })
    return HTTPResponse(json: page.json)
  }

  private static func position(
    _ cursor: String, scope: String
  ) throws(APIError) -> SessionSelection.Position {
    let parts = try PageCursor.decode(cursor, scope: scope)
    guard parts.count == 3, let score = parts[0].intValue, let updatedAt = parts[1].intValue,
      let id = parts[2].stringValue
    else {
      throw APIError(.invalidCursor, "The cursor is not one of this list.")
    }
    return SessionSelection.Position(score: score, updatedAt: updatedAt, id: id)
  }

  func commit(_ changes: [StoreChange]) async throws(APIError) {
    do throws(StoreError) {
      try await environment.store.commit(changes)
    } catch {
      throw APIError(error)
    }
  }

  func show(_ record: SessionRecord, _ call: APICall, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, json: body(of: record, call).json)
  }

  private func body(of record: SessionRecord, _ call: APICall) -> SessionBody {
    record.body(
      for: call.caller, agent: environment.configuration.agent(named: record.agent))
  }
}
