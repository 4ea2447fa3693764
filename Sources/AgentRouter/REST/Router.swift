public import Networking
import SessionsModel
import Stores

/// The router's REST interface and the doors to its sockets.
public struct Router: HTTPHandler {
  let environment: RouterEnvironment
  let directory: SessionDirectory
  private let authenticator: Authenticator

  public init(environment: RouterEnvironment, directory: SessionDirectory) {
    self.environment = environment
    self.directory = directory
    authenticator = Authenticator(
      configuration: environment.configuration, runtime: environment.runtime)
  }

  /// Answers a request; every answer carries an `X-Request-Id`, every error the envelope.
  public func respond(to request: HTTPRequest) async -> HTTPResponse {
    var response: HTTPResponse
    do throws(APIError) {
      response = try await answer(request)
    } catch {
      response = HTTPResponse(error)
    }
    response.headers["X-Request-Id"] = environment.runtime.makeID()
    return response
  }

  private func answer(_ request: HTTPRequest) async throws(APIError) -> HTTPResponse {
    let path = request.path.split(separator: "/").map(String.init)
    if path == ["health"], request.method == .get { return health() }
    let caller = try authenticator.caller(of: request, isSocket: false)
    if request.body.count > environment.configuration.limits.bodyBytes {
      throw APIError(
        .tooLarge,
        "The body has \(request.body.count) bytes; "
          + "at most \(environment.configuration.limits.bodyBytes) are accepted.")
    }
    let call = APICall(request: request, caller: caller)
    if path.starts(with: ["v1", "agents", "sessions"]) {
      return try await sessions(call, Array(path.dropFirst(3)))
    }
    switch (request.method, path.joined(separator: "/")) {
    case (.get, "v1/agents/configs"): return try configurations(call)
    case (.get, let path) where path.hasPrefix("v1/llm/routes/"):
      return try route(to: String(path.dropFirst("v1/llm/routes/".count)), call)
    default: throw .routeNotFound(request)
    }
  }

  /// - Parameter path: what stands behind `/v1/agents/sessions`.
  private func sessions(_ call: APICall, _ path: [String]) async throws(APIError) -> HTTPResponse {
    guard let id = path.first else {
      guard call.request.method == .post else { throw .routeNotFound(call.request) }
      return try await createSession(call)
    }
    switch (call.request.method, path.dropFirst().joined(separator: "/")) {
    case (.post, "") where id == "query": return try await querySessions(call)
    case (.get, ""): return try await getSession(id, call)
    case (.patch, ""): return try await updateSession(id, call)
    case (.delete, ""): return try await deleteSession(id, call)
    case (.post, "stop"): return try await stopSession(id, call)
    case (.post, "voice"): return try await startVoice(id, call)
    case (.delete, "voice"): return try await stopVoice(id, call)
    case (.get, "responses"): return try await listResponses(id, call)
    case (.post, "responses"): return try await createResponse(id, call)
    case (.get, "responses/items"): return try await listItems(id, call)
    case (.get, "channel"): return try await getChannel(id, call)
    case (.get, "channel/messages"): return try await listMessages(id, call)
    case (.post, "channel/messages"): return try await writeMessage(id, call)
    case (.post, "say"): return try await say(id, call)
    case (.post, "interrupt"): return try await interrupt(id, call)
    default: throw .routeNotFound(call.request)
    }
  }

  /// Judges an upgrade: 401 and 404 are refused at once; what only the store knows is judged on
  /// the accepted socket, because the verdict may not wait.
  public func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade {
    do throws(APIError) {
      let path = request.path.split(separator: "/").map(String.init)
      if path.count == 5, path.starts(with: ["v1", "calls", "agent"]), path[4] == "media" {
        return try upgradeMedia(path[3], request)
      }
      guard path.count == 5, path.starts(with: ["v1", "agents", "sessions"]), path[4] == "events"
      else { throw .routeNotFound(request) }
      return try upgradeEvents(path[3], request)
    } catch {
      var response = HTTPResponse(error)
      response.headers["X-Request-Id"] = environment.runtime.makeID()
      return .refuse(response)
    }
  }

  private func upgradeEvents(
    _ id: String, _ request: HTTPRequest
  ) throws(APIError) -> WebSocketUpgrade {
    let caller = try authenticator.caller(of: request, isSocket: true)
    let options = try WatchOptions(query: request)
    let key = SessionKey(app: caller.app, id: id)
    let owner = directory.assumeIsolated { $0.owner(of: key) }
    if let owner, !caller.canReach(key.app, owner) { throw .sessionNotFound(id) }
    let socket = EventsSocket(
      directory: directory, runtime: environment.runtime, key: key, caller: caller,
      options: options)
    return .accept { connection in await socket.serve(connection) }
  }

  /// The token in the query was given out by the session itself and is good for one socket.
  private func upgradeMedia(
    _ id: String, _ request: HTTPRequest
  ) throws(APIError) -> WebSocketUpgrade {
    guard let token = request.queryValue("token"), !token.isEmpty else {
      throw APIError(.unauthenticated, "The media token is missing; call.joined gives one.")
    }
    let holders = directory.assumeIsolated { $0.holders(ofID: id) }
    guard !holders.isEmpty else { throw .sessionNotFound(id) }
    return .accept { connection in
      for holder in holders {
        guard let participant = await holder.redeemMediaToken(token) else { continue }
        await holder.serveMedia(connection, participant: participant)
        return
      }
      await connection.close(code: 4401, reason: "the media token is unknown or was used")
    }
  }
}

/// One request with who makes it.
struct APICall {
  let request: HTTPRequest
  let caller: Caller

  /// - Throws: `server_only` for anybody but a backend.
  func requireBackend() throws(APIError) {
    guard !caller.isBackend else { return }
    throw APIError(.serverOnly, "Only a backend may do this; ask yours to.")
  }

  func body<Body: WireValue>(_ type: Body.Type) throws(APIError) -> Body {
    do throws(WireError) {
      return try Body(bytes: request.body)
    } catch {
      throw APIError(error)
    }
  }
}

extension APIError {
  static func routeNotFound(_ request: HTTPRequest) -> APIError {
    APIError(
      .routeNotFound, "This router has no \(request.method.rawValue) \(request.path.prefix(200)).")
  }
}
