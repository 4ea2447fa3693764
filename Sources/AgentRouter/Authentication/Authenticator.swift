public import Networking
import SessionsModel

/// Tells from a request who asks (contract part 1, 1.1, and part 2, "Auth").
///
/// Synchronous, because an upgrade has to be judged within one callback.
public struct Authenticator: Sendable {
  private let configuration: RouterConfiguration
  private let runtime: any Runtime
  private let tokens: VerifiedTokens

  public init(
    configuration: RouterConfiguration, runtime: any Runtime,
    tokens: VerifiedTokens = VerifiedTokens()
  ) {
    self.configuration = configuration
    self.runtime = runtime
    self.tokens = tokens
  }

  /// - Parameter isSocket: an upgrade, whose key and token may stand in the query; the claim of
  ///   `Stream-Auth-Type` binds ordinary requests only.
  /// - Throws: an error of type `authentication`.
  public func caller(of request: HTTPRequest, isSocket: Bool) throws(APIError) -> Caller {
    switch configuration.authentication {
    case .noauth: try customer(of: request)
    case .apiKey: try keyHolder(of: request, isSocket: isSocket)
    }
  }

  private func customer(of request: HTTPRequest) throws(APIError) -> Caller {
    let named = request.headers["X-Customer-Id"] ?? request.queryValue("customer_id")
    guard let customer = named, !customer.isEmpty else {
      throw APIError(
        .unauthenticated, "Say which customer you are: send X-Customer-Id or customer_id.")
    }
    return Caller(app: customer, kind: .backend, userID: Self.actingUser(of: request))
  }

  private func keyHolder(of request: HTTPRequest, isSocket: Bool) throws(APIError) -> Caller {
    guard let key = request.headers["X-Api-Key"] ?? request.queryValue("api_key") else {
      throw APIError(.unauthenticated, "The API key is missing: send X-Api-Key or api_key.")
    }
    guard let app = configuration.app(key: key) else {
      throw APIError(.unauthenticated, "This router knows no such API key.")
    }
    guard let token = Self.token(of: request, isSocket: isSocket) else {
      throw APIError(
        .unauthenticated, "The token is missing: send Authorization: Bearer <token>.")
    }
    let claims: TokenClaims
    do {
      claims = try tokens.verify(token, secret: app.secret, now: runtime.secondsSince1970)
    } catch {
      throw APIError(error)
    }
    if !isSocket { try Self.checkClaim(of: request, isBackend: claims.server) }
    return try Self.caller(app: app.key, claims: claims, request)
  }

  private static func caller(
    app: String, claims: TokenClaims, _ request: HTTPRequest
  ) throws(APIError) -> Caller {
    if claims.server {
      guard claims.userID == nil else {
        throw APIError(.unauthenticated, "A token is a backend's or a user's, not both.")
      }
      return Caller(
        app: app, kind: .backend, userID: actingUser(of: request), expiresAt: claims.expiresAt)
    }
    guard let user = claims.userID, !user.isEmpty else {
      throw APIError(.unauthenticated, "The token names no user in user_id.")
    }
    let isGuest = claims.role == "guest" || claims.role == "anonymous"
    return Caller(
      app: app, kind: isGuest ? .guest : .device, userID: user, expiresAt: claims.expiresAt)
  }

  /// The header is the claim, the token the proof; both must agree.
  private static func checkClaim(of request: HTTPRequest, isBackend: Bool) throws(APIError) {
    let claim = request.headers["Stream-Auth-Type"] ?? "jwt"
    guard claim == "jwt" || claim == "server" else {
      throw APIError(.unauthenticated, "Stream-Auth-Type must be server or jwt.")
    }
    guard (claim == "server") == isBackend else {
      throw APIError(
        .unauthenticated,
        isBackend
          ? "The token is a backend's, but Stream-Auth-Type does not say server."
          : "Stream-Auth-Type says server, but the token is a user's.")
    }
  }

  /// The user a backend acts for; unsigned on purpose.
  private static func actingUser(of request: HTTPRequest) -> String? {
    let user = request.headers["X-Stream-User-Id"] ?? request.queryValue("user_id")
    return user?.isEmpty == false ? user : nil
  }

  private static func token(of request: HTTPRequest, isSocket: Bool) -> String? {
    let given =
      request.headers["Authorization"]
      ?? (isSocket ? request.queryValue("token") ?? request.queryValue("authorization") : nil)
    guard let given else { return nil }
    let parts = given.split(separator: " ", maxSplits: 1)
    let token = parts.count == 2 && parts[0].lowercased() == "bearer" ? parts[1] : given[...]
    return token.isEmpty ? nil : String(token)
  }
}

extension APIError {
  fileprivate init(_ error: TokenError) {
    switch error {
    case .expired: self.init(.tokenExpired, "Not admitted: \(error).")
    case .notYetValid: self.init(.tokenNotYetValid, "Not admitted: \(error).")
    case .badSignature: self.init(.badSignature, "Not admitted: \(error).")
    case .tooLarge, .malformed, .unsupportedAlgorithm:
      self.init(.unauthenticated, "Not admitted: \(error).")
    }
  }
}
