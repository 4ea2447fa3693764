import Networking
import SessionsModel
import Simulation
import Testing

@testable import AgentRouter

/// Who is admitted as what (contract part 1, 1.1, and part 2).
@Suite struct AuthenticatorTests {
  private let runtime = SimulatedRuntime(seed: 1)
  private let secret = "secret"

  private func authenticator(
    _ mode: RouterConfiguration.AuthenticationMode = .apiKey
  ) -> Authenticator {
    var configuration = RouterConfiguration(
      apps: [RouterConfiguration.App(key: "key", secret: secret)], agents: [], defaultAgent: "")
    configuration.authentication = mode
    return Authenticator(configuration: configuration, runtime: runtime)
  }

  private func request(
    _ headers: [String: String], query: [(name: String, value: String)] = []
  ) -> HTTPRequest {
    var request = HTTPRequest(.get, "/", query: query)
    for (name, value) in headers { request.headers[name] = value }
    return request
  }

  private func token(_ claims: TokenClaims) -> String { Token.mint(claims, secret: secret) }

  private func code(
    _ request: HTTPRequest, isSocket: Bool = false
  ) -> APIError.Code? {
    do throws(APIError) {
      _ = try authenticator().caller(of: request, isSocket: isSocket)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func aDeviceIsItsUser() throws {
    let token = token(TokenClaims(userID: "anna", expiresAt: runtime.secondsSince1970 + 60))
    for headers in [
      ["X-Api-Key": "key", "Authorization": "Bearer \(token)"],
      ["x-api-key": "key", "authorization": "bearer \(token)", "stream-auth-type": "jwt"],
      ["X-Api-Key": "key", "Authorization": token],
    ] {
      let caller = try authenticator().caller(of: request(headers), isSocket: false)
      #expect(caller.kind == .device)
      #expect(caller.userID == "anna")
      #expect(caller.app == "key")
      #expect(caller.expiresAt == runtime.secondsSince1970 + 60)
    }
    let inQuery = request(["Authorization": token], query: [("api_key", "key")])
    #expect(try authenticator().caller(of: inQuery, isSocket: false).userID == "anna")
  }

  @Test func aBackendSaysForWhomItActs() throws {
    let headers = [
      "X-Api-Key": "key", "Stream-Auth-Type": "server", "X-Stream-User-Id": "anna",
      "Authorization": "Bearer " + token(TokenClaims(server: true)),
    ]
    let caller = try authenticator().caller(of: request(headers), isSocket: false)
    #expect(caller.isBackend)
    #expect(caller.userID == "anna")
    let device = try authenticator().caller(
      of: request([
        "X-Api-Key": "key", "Authorization": token(TokenClaims(userID: "anna")),
      ]), isSocket: false)
    #expect(caller.owner == device.owner)
  }

  @Test func aGuestIsAnotherOwnerThanTheUserOfThatName() throws {
    func owner(_ role: String?) throws -> Caller {
      let token = token(TokenClaims(userID: "anna", role: role))
      return try authenticator().caller(
        of: request(["X-Api-Key": "key", "Authorization": token]), isSocket: false)
    }
    #expect(try owner("guest").owner != owner(nil).owner)
    #expect(try owner("admin").owner == owner(nil).owner)
  }

  @Test func claimAndProofMustAgree() {
    let server = token(TokenClaims(server: true))
    let user = token(TokenClaims(userID: "anna"))
    #expect(code(request(["X-Api-Key": "key", "Authorization": server])) == .unauthenticated)
    #expect(
      code(
        request(["X-Api-Key": "key", "Authorization": server, "Stream-Auth-Type": "jwt"]))
        == .unauthenticated)
    #expect(
      code(
        request(["X-Api-Key": "key", "Authorization": user, "Stream-Auth-Type": "server"]))
        == .unauthenticated)
    #expect(
      code(
        request(["X-Api-Key": "key", "Authorization": user, "Stream-Auth-Type": "root"]))
        == .unauthenticated)
  }

  @Test func aSocketCarriesKeyAndTokenInItsQuery() throws {
    let user = token(TokenClaims(userID: "anna"))
    let server = token(TokenClaims(server: true))
    let device = request([:], query: [("api_key", "key"), ("token", user)])
    #expect(try authenticator().caller(of: device, isSocket: true).userID == "anna")
    let spelled = request(
      [:],
      query: [("api_key", "key"), ("authorization", user), ("stream-auth-type", "jwt")])
    #expect(try authenticator().caller(of: spelled, isSocket: true).userID == "anna")
    let backend = request([:], query: [("api_key", "key"), ("token", server), ("user_id", "bert")])
    let caller = try authenticator().caller(of: backend, isSocket: true)
    #expect(caller.isBackend)
    #expect(caller.userID == "bert")
    // An ordinary request's token never stands in the query, where logs would keep it.
    #expect(code(device) == .unauthenticated)
  }

  @Test func whatIsWrongIsSaid() {
    let now = runtime.secondsSince1970
    func with(_ token: String) -> APIError.Code? {
      code(request(["X-Api-Key": "key", "Authorization": "Bearer \(token)"]))
    }
    #expect(with(token(TokenClaims(userID: "a", expiresAt: now - 61))) == .tokenExpired)
    #expect(with(token(TokenClaims(userID: "a", notBefore: now + 61))) == .tokenNotYetValid)
    #expect(with(Token.mint(TokenClaims(userID: "a"), secret: "x")) == .badSignature)
    #expect(with(token(TokenClaims())) == .unauthenticated)
    #expect(with(token(TokenClaims(userID: ""))) == .unauthenticated)
    #expect(with(token(TokenClaims(userID: "a", server: true))) == .unauthenticated)
    #expect(with("nonsense") == .unauthenticated)
    #expect(with("") == .unauthenticated)
    #expect(code(request([:])) == .unauthenticated)
    #expect(code(request(["X-Api-Key": "other"])) == .unauthenticated)
    #expect(code(request(["X-Api-Key": "key"])) == .unauthenticated)
  }

  @Test func withoutAuthenticationEveryoneIsTheNamedCustomersBackend() throws {
    let open = authenticator(.noauth)
    let rest = request(["X-Customer-Id": "acme"], query: [("user_id", "anna")])
    #expect(
      try open.caller(of: rest, isSocket: false)
        == Caller(app: "acme", kind: .backend, userID: "anna"))
    let socket = request([:], query: [("customer_id", "acme")])
    #expect(try open.caller(of: socket, isSocket: true) == Caller(app: "acme", kind: .backend))
    #expect(throws: APIError.self) { try open.caller(of: request([:]), isSocket: false) }
  }
}
