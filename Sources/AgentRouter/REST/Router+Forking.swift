import Networking
import SessionsModel
import Stores

extension Router {
  /// 201 with the new session's record; the body is optional.
  func forkSession(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    let request = try call.body(ForkSessionRequest.self)
    return show(try await directory.fork(id, request, by: call.caller), call, status: 201)
  }

  func rewindSession(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    let request = try call.body(RewindRequest.self)
    try await directory.rewind(id, to: request.responseID, for: call.caller)
    return .noContent
  }

  /// What the session taught about its user.
  func listMemories(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    try call.requireBackend()
    let record = try await directory.record(id, for: call.caller)
    let memories: [MemoryRecord]
    do throws(StoreError) {
      memories = try await environment.store.memories(of: record.key)
    } catch {
      throw APIError(error)
    }
    let items = memories.map { memory -> JSONValue in
      var writer = FieldWriter()
      writer.set("text", memory.text)
      writer.set("created_at", memory.createdAt)
      return writer.json
    }
    return HTTPResponse(json: ["items": .array(items)])
  }

  /// Forgets what the session taught and keeps the session (R57).
  func forget(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    try call.requireBackend()
    let record = try await directory.record(id, for: call.caller)
    // An incognito session taught nothing, and has no row that could be named.
    if !record.incognito { try await commit([.memories([], record.key)]) }
    return .noContent
  }
}
