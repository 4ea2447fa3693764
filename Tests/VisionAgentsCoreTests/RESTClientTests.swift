import Networking
import SessionsModel
import Synchronization
import Testing

@testable import VisionAgentsCore

struct RESTClientTests {
  @Test func aRefusedTokenIsRenewedOnceForAll() async throws {
    let world = ScriptedWorld { request in
      request.headers["Authorization"] == "Bearer fresh-2"
        ? .json(200, RouterAnswers.session())
        : .error(401, type: "authentication", code: "token_expired")
    }
    let asked = Mutex(0)
    world.agents.setUser(User(id: "jlahey")) {
      asked.withLock { asked in
        asked += 1
        return "fresh-\(asked)"
      }
    }
    let sessions = world.agents.sessions
    async let first = sessions.get("s1")
    async let second = sessions.get("s1")
    async let third = sessions.get("s1")
    #expect(try await [first.id, second.id, third.id] == ["s1", "s1", "s1"])
    #expect(asked.withLock { $0 } == 2, "once at first, once for all refusals")
  }

  @Test func aTokenRefusedAgainIsAnError() async {
    let world = ScriptedWorld { _ in .error(401, type: "authentication", code: "bad_signature") }
    let asked = Mutex(0)
    world.agents.setUser(User(id: "jlahey")) {
      asked.withLock { asked in
        asked += 1
        return "\(asked)"
      }
    }
    await #expect(throws: AgentsError.self) { try await world.agents.sessions.get("s1") }
    #expect(asked.withLock { $0 } == 2)
    #expect(world.router.requests.count == 2)
  }

  @Test func errorsCarryWhatTheRouterSaid() async throws {
    let world = ScriptedWorld { _ in .error(409, type: "conflict", code: "session_exists") }
    let failure = try await failure { try await world.agents.sessions.create() }
    #expect(failure.status == 409 && failure.type == "conflict")
    #expect(failure.code == "session_exists" && failure.message == "It failed.")
    #expect(failure.requestID == "r-1")
    #expect("\(failure)" == "It failed. (HTTP 409, session_exists, request r-1)")

    world.router.answer { _ in
      HTTPResponse(status: 502, body: Array("  bad gateway \n".utf8))
    }
    #expect(
      try await self.failure { try await world.agents.sessions.create() }.message == "bad gateway")
  }

  @Test func aDeviceWithoutAUserIsToldWhatToDo() async {
    let world = ScriptedWorld()
    world.agents.clearUser()
    do {
      _ = try await world.agents.sessions.get("s1")
      Issue.record("no error")
    } catch {
      #expect("\(error)".contains("setUser"))
    }
    #expect(world.router.requests.isEmpty)
  }

  /// R5.
  @Test func aBackendSignsItsOwnTokenAndNamesTheUserItActsFor() async throws {
    let world = ScriptedWorld()
    let agents = VisionAgents(
      apiKey: "key", apiSecret: "secret", environment: world.environment)
    agents.setUser(User(id: "jlahey"), token: "unused")
    _ = try await agents.sessions.get("s1")
    let request = try #require(world.router.requests.last)
    #expect(request.queryValue("api_key") == "key")
    #expect(request.headers["Stream-Auth-Type"] == "server")
    #expect(request.headers["X-Stream-User-Id"] == "jlahey")
    let token = try #require(request.headers["Authorization"]).dropFirst("Bearer ".count)
    let now = Int(world.environment.runtime.wallClock.timeIntervalSince1970)
    let claims = try Token.verify(String(token), secret: "secret", now: now)
    #expect(claims.server && claims.userID == nil)
  }

  @Test func withoutAuthenticationTheCustomerIsNamed() async throws {
    let world = ScriptedWorld()
    let url = Backend.defaultURL
    let agents = VisionAgents(url: url, customerID: "acme", environment: world.environment)
    agents.setUser(User(id: "jlahey"), token: "")
    _ = try await agents.sessions.get("s1")
    let request = try #require(world.router.requests.last)
    #expect(request.headers["X-Customer-Id"] == "acme")
    #expect(request.headers["Authorization"] == nil)
    #expect(request.queryValue("user_id") == "jlahey")
  }

  @Test func aBrokenConnectionIsTriedAgainOnlyWhereNothingHappensTwice() async throws {
    let world = ScriptedWorld()
    let attempts = Mutex(0)
    world.router.answer { request throws(TransportError) in
      if attempts.withLock({
        $0 += 1; return $0
      }) == 1 {
        throw .broken(detail: "reset")
      }
      return .json(202, RouterAnswers.response())
    }
    _ = try await world.agents.sessions.responses("s1").create("Where?")
    let bodies = world.router.requests.map(\.body)
    #expect(bodies.count == 2 && bodies[0] == bodies[1], "the same request id, so one turn")

    attempts.withLock { $0 = 0 }
    await #expect(throws: AgentsError.self) {
      _ = try await world.agents.sessions.fork("s1")
    }
    #expect(world.router.requests.count == 3)
  }

  @Test func anIDThatIsNoneNeverReachesAPath() async {
    let world = ScriptedWorld()
    await #expect(throws: AgentsError.self) {
      try await world.agents.sessions.get("../configs")
    }
    #expect(world.router.requests.isEmpty)
  }

  /// R132.
  @Test func itemsFollowTheCursor() async throws {
    let world = ScriptedWorld { request in
      func item(_ ordinal: Int) -> SessionsModel.JSONValue {
        [
          "response_id": "t1", "ordinal": .int(ordinal), "kind": "said", "text": "x",
          "at": "2026-10-01T00:00:00Z",
        ]
      }
      return request.queryValue("cursor") == nil
        ? .json(200, ["items": [item(0), item(1)], "has_more": true, "next_cursor": "c"])
        : .json(200, ["items": [item(2)], "has_more": false])
    }
    let items = try await world.agents.sessions.responses("s1").items.all()
    #expect(items.map(\.ordinal) == [0, 1, 2])
  }

  private func failure(_ body: () async throws -> Any) async throws -> HTTPFailure {
    do {
      _ = try await body()
    } catch AgentsError.http(let failure) {
      return failure
    }
    throw AgentsError.unreadable("no HTTP error was thrown")
  }
}
