import Foundation
import Networking
import SessionsModel

/// Holds the current token and fetches a new one at most once at a time.
actor TokenSource {
  /// How long a token lives that a backend signs for itself.
  static let backendTokenSeconds = 3600
  /// A token is issued a little in the past, for a router whose clock is behind.
  static let backendIssueLeadSeconds = 5

  nonisolated let environment: VisionAgents.Environment
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    environment.runtime.executor.asUnownedSerialExecutor()
  }

  private let credentials: Credentials
  private var cached: (token: String, version: Int)?
  private var inFlight: Fetch?
  private var fetches = 0

  /// The app being asked for a token.
  private struct Fetch {
    var number: Int
    /// Of the identity it is for.
    var version: Int
    var task: Task<String, any Error>
  }

  init(_ credentials: Credentials, environment: VisionAgents.Environment) {
    self.credentials = credentials
    self.environment = environment
  }

  /// The token to send; nil when the router asks for none.
  func token() async throws -> String? {
    if case .customer = credentials.mode { return nil }
    let identity = credentials.identity
    if let cached, cached.version == identity.version { return cached.token }
    return try await fetch(identity)
  }

  /// The token to send after the router refused `stale`.
  ///
  /// However many requests were refused at once, the app is asked once.
  func renew(_ stale: String?) async throws -> String? {
    let identity = credentials.identity
    if let cached, cached.version == identity.version, cached.token != stale {
      return cached.token
    }
    if cached?.token == stale { cached = nil }
    return try await token()
  }

  private func fetch(_ identity: Credentials.Identity) async throws -> String {
    if case .backend(_, let secret) = credentials.mode {
      let token = mint(secret: secret)
      cached = (token, identity.version)
      return token
    }
    let fetch: Fetch
    if let inFlight, inFlight.version == identity.version {
      fetch = inFlight
    } else {
      fetch = try begin(identity)
    }
    let result = await fetch.task.result
    settle(fetch, result)
    return try result.get()
  }

  private func begin(_ identity: Credentials.Identity) throws -> Fetch {
    guard let provider = identity.provider else {
      throw AgentsError.configuration(
        "No user is set; call setUser(User(id:), token:) before anything else.")
    }
    fetches += 1
    let fetch = Fetch(
      number: fetches, version: identity.version,
      task: environment.runtime.throwingTask { [environment] in
        try await TokenRequest.ask(provider, environment)
      })
    inFlight = fetch
    return fetch
  }

  /// Keeps what a fetch brought. Whoever of those waiting comes back first does it: one that went
  /// on before could be refused and would be handed the same token again.
  private func settle(_ fetch: Fetch, _ result: Result<String, any Error>) {
    guard inFlight?.number == fetch.number else { return }
    inFlight = nil
    guard case .success(let token) = result, credentials.identity.version == fetch.version
    else { return }
    cached = (token, fetch.version)
  }

  private func mint(secret: String) -> String {
    let now = Int(environment.runtime.wallClock.timeIntervalSince1970)
    let claims = TokenClaims(
      server: true, issuedAt: now - Self.backendIssueLeadSeconds,
      expiresAt: now + Self.backendTokenSeconds)
    return Token.mint(claims, secret: secret)
  }
}
