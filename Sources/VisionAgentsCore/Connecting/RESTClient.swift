import Networking
import SessionsModel

/// Sends requests to the router as the current user, and opens its sockets.
actor RESTClient {
  /// How long a request may take; `create` with voice waits until the agent is on the call.
  static let requestTimeout = Duration.seconds(30)
  /// How long a WebSocket may take to open.
  static let openTimeout = Duration.seconds(10)

  nonisolated let environment: VisionAgents.Environment
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    environment.runtime.executor.asUnownedSerialExecutor()
  }

  private let origin: Result<Origin, AgentsError>
  private let credentials: Credentials
  private let tokens: TokenSource

  init(
    origin: Result<Origin, AgentsError>, credentials: Credentials,
    environment: VisionAgents.Environment
  ) {
    self.origin = origin
    self.credentials = credentials
    self.environment = environment
    tokens = TokenSource(credentials, environment: environment)
  }

  /// Sends a request and returns the body, `.null` when there is none.
  ///
  /// A 401 renews the token and tries once more. A connection that broke is tried once more where
  /// that cannot do anything twice.
  ///
  /// - Parameter mayRepeat: the request does the same when it arrives twice.
  func send(
    _ method: HTTPRequest.Method, _ path: String,
    query: [(name: String, value: String)] = [], body: JSONValue? = nil, mayRepeat: Bool = false
  ) async throws -> JSONValue {
    let origin = try origin.get()
    var token = try await tokens.token()
    var renewed = false
    var repeated = false
    while true {
      let request = request(method, path, query: query, body: body, token: token)
      let response: HTTPResponse
      do {
        response = try await environment.transport.request(
          request, to: origin, timeout: Self.requestTimeout)
      } catch .broken where mayRepeat && !repeated {
        repeated = true
        continue
      } catch {
        throw AgentsError.wrapping(error)
      }
      if response.status == 401, !renewed {
        renewed = true
        let fresh = try await tokens.renew(token)
        if fresh != token {
          token = fresh
          continue
        }
      }
      return try Self.body(of: response)
    }
  }

  /// Reads the body of a request as one of the wire's types.
  func send<Value: WireValue>(
    _ method: HTTPRequest.Method, _ path: String,
    query: [(name: String, value: String)] = [], body: JSONValue? = nil, mayRepeat: Bool = false,
    as type: Value.Type
  ) async throws -> Value {
    let json = try await send(method, path, query: query, body: body, mayRepeat: mayRepeat)
    do {
      return try Value(json: json)
    } catch {
      throw AgentsError.unreadable("\(method.rawValue) \(path): \(error)")
    }
  }

  /// Opens a WebSocket as the current user.
  ///
  /// - Throws: `.http` when the router refused the upgrade.
  func openWebSocket(
    _ path: String, query: [(name: String, value: String)]
  ) async throws -> any WebSocketConnection {
    let origin = try origin.get()
    let token = try await tokens.token()
    let request = WebSocketRequest(
      host: origin.host, port: origin.port, secure: origin.secure,
      path: origin.basePath + path, query: query + identityQuery, headers: headers(token: token))
    do {
      return try await environment.transport.openWebSocket(request, timeout: Self.openTimeout)
    } catch {
      throw AgentsError.wrapping(error)
    }
  }

  /// Gets a fresh token after a socket's was refused.
  func renewToken() async throws {
    _ = try await tokens.renew(try await tokens.token())
  }

  private func request(
    _ method: HTTPRequest.Method, _ path: String, query: [(name: String, value: String)],
    body: JSONValue?, token: String?
  ) -> HTTPRequest {
    var headers = headers(token: token)
    if body != nil { headers["Content-Type"] = "application/json" }
    return HTTPRequest(
      method, path, query: query + identityQuery, headers: headers, body: body?.serialized ?? [])
  }

  /// The key always goes into the query, as the public clients send it; a router without
  /// authentication is told the user there.
  private var identityQuery: [(name: String, value: String)] {
    switch credentials.mode {
    case .device(let apiKey), .backend(let apiKey, _):
      return [("api_key", apiKey)]
    case .customer(let id):
      let user = credentials.identity.user.map { [("user_id", $0.id)] } ?? []
      return [("customer_id", id)] + user
    }
  }

  private func headers(token: String?) -> HTTPHeaders {
    var headers = HTTPHeaders()
    if let apiKey = credentials.apiKey { headers["X-Api-Key"] = apiKey }
    if let token { headers["Authorization"] = "Bearer \(token)" }
    switch credentials.mode {
    case .device: headers["Stream-Auth-Type"] = "jwt"
    case .backend:
      headers["Stream-Auth-Type"] = "server"
      if let user = credentials.identity.user { headers["X-Stream-User-Id"] = user.id }
    case .customer(let id): headers["X-Customer-Id"] = id
    }
    return headers
  }

  private static func body(of response: HTTPResponse) throws -> JSONValue {
    guard (200..<300).contains(response.status) else {
      throw AgentsError.http(HTTPFailure(response))
    }
    guard !response.body.isEmpty else { return .null }
    do {
      return try JSONValue.parse(response.body)
    } catch {
      throw AgentsError.unreadable("a body that is no JSON: \(error)")
    }
  }
}
