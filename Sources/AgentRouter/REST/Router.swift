public import Networking
import SessionsModel
import Stores

/// The router's REST interface and the doors to its sockets.
public struct Router: HTTPHandler {
  let environment: RouterEnvironment
  let directory: SessionDirectory
  let pairing = PairingDesk()
  private let tokens = VerifiedTokens()

  public init(environment: RouterEnvironment, directory: SessionDirectory) {
    self.environment = environment
    self.directory = directory
  }

  /// Keys and secrets may change while the router runs.
  var authenticator: Authenticator {
    Authenticator(
      configuration: environment.configuration, runtime: environment.runtime, tokens: tokens)
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

  /// What the server refused before it was a request, in the envelope of every other error.
  public func refusal(status: Int, _ message: String) -> HTTPResponse {
    let code: APIError.Code =
      switch status {
      case 413, 431: .tooLarge
      case 501: .routeNotFound
      default: .invalidField
      }
    var response = HTTPResponse(APIError(code, message))
    response.status = status
    response.headers["X-Request-Id"] = environment.runtime.makeID()
    return response
  }

  private func answer(_ request: HTTPRequest) async throws(APIError) -> HTTPResponse {
    if request.method == .get, request.path == "/metrics" { return try metrics(request) }
    guard let match = RouteMatch(request.method, request.path), !match.route.isSocket else {
      // Who may not come in is not told which doors there are.
      _ = try authenticator.caller(of: request, isSocket: false)
      throw .routeNotFound(request)
    }
    if match.route == .health { return health() }
    if match.route == .openAPI { return description() }
    if match.route == .redeemPairing { return try redeemPairing(request) }
    let caller = try authenticator.caller(of: request, isSocket: false)
    if request.body.count > environment.configuration.limits.bodyBytes {
      throw APIError(
        .tooLarge,
        "The body has \(request.body.count) bytes; "
          + "at most \(environment.configuration.limits.bodyBytes) are accepted.")
    }
    return try await carryOut(match, APICall(request: request, caller: caller))
  }

  private func carryOut(
    _ match: RouteMatch, _ call: APICall
  ) async throws(APIError) -> HTTPResponse {
    let id = match.parameter
    return switch match.route {
    case .health: health()
    case .openAPI: description()
    case .createSession: try await createSession(call)
    case .querySessions: try await querySessions(call)
    case .getSession: try await getSession(id, call)
    case .updateSession: try await updateSession(id, call)
    case .deleteSession: try await deleteSession(id, call)
    case .stopSession: try await stopSession(id, call)
    case .startSessionVoice: try await startVoice(id, call)
    case .stopSessionVoice: try await stopVoice(id, call)
    case .listResponses: try await listResponses(id, call)
    case .createResponse: try await createResponse(id, call)
    case .listResponseItems: try await listItems(id, call)
    case .forkSession: try await forkSession(id, call)
    case .rewindSession: try await rewindSession(id, call)
    case .listMemories: try await listMemories(id, call)
    case .forgetMemories: try await forget(id, call)
    case .getUsage: try await usage(call)
    case .setInstructions: try await setInstructions(id, call)
    case .changeSettings: try await changeSettings(id, call)
    case .respond: try await answerAsBackend(id, call)
    case .getChannel: try await getChannel(id, call)
    case .listMessages: try await listMessages(id, call)
    case .writeMessage: try await writeMessage(id, call)
    case .say: try await say(id, call)
    case .interrupt: try await interrupt(id, call)
    case .getCommand: try await getCommand(id, match.secondParameter, call)
    case .interruptCommand: try await interruptCommand(id, match.secondParameter, call)
    case .listConfigs: try configurations(call)
    case .createPairing: try createPairing(call)
    case .redeemPairing: try redeemPairing(call.request)
    case .getModelRoute: try modelRoute(to: id, call)
    case .watchSession, .openMedia: throw .routeNotFound(call.request)
    }
  }

  /// Judges an upgrade: 401 and 404 are refused at once; what only the store knows is judged on
  /// the accepted socket, because the verdict may not wait.
  public func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade {
    do throws(APIError) {
      let match = RouteMatch(request.method, request.path)
      switch match?.route {
      case .watchSession: return try upgradeEvents(match?.parameter ?? "", request)
      case .openMedia: return try upgradeMedia(match?.parameter ?? "", request)
      default: throw .routeNotFound(request)
      }
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
