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
  private var inFlight: (task: Task<String, any Error>, version: Int)?

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
    if let inFlight, inFlight.version == identity.version { return try await inFlight.task.value }
    let task: Task<String, any Error>
    switch credentials.mode {
    case .backend(_, let secret):
      let token = mint(secret: secret)
      cached = (token, identity.version)
      return token
    case .device, .customer:
      guard let provider = identity.provider else {
        throw AgentsError.configuration(
          "No user is set; call setUser(User(id:), token:) before anything else.")
      }
      // Detached from this actor: an app's closure that blocks must not hold up the loop.
      task = Task.detached(executorPreference: environment.appExecutor) { try await provider() }
    }
    inFlight = (task, identity.version)
    defer { if inFlight?.version == identity.version { inFlight = nil } }
    let token = try await task.value
    if credentials.identity.version == identity.version { cached = (token, identity.version) }
    return token
  }

  private func mint(secret: String) -> String {
    let now = Int(environment.runtime.wallClock.timeIntervalSince1970)
    let claims = TokenClaims(
      server: true, issuedAt: now - Self.backendIssueLeadSeconds,
      expiresAt: now + Self.backendTokenSeconds)
    return Token.mint(claims, secret: secret)
  }
}
