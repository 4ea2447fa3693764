import Networking
import SessionsModel
import Simulation
import Stores
import Testing

@testable import AgentRouter

@Suite struct RouterSessionsTests {
  @Test func anEmptyBodyOpensASessionWithAFreshID() throws {
    let harness = RouterHarness()
    let answer = try harness.send(.post, "", as: "anna")
    #expect(answer.status == 201)
    let session = try SessionBody(json: answer.json)
    #expect(session.id.count == 36)
    #expect(session.agent == "assistant")
    #expect(session.userID == "anna")
    #expect(session.state == .live)
    #expect(session.modality == .text)
    #expect(session.callID == "")
    #expect(session.callType == "agent")
    #expect(session.conversationID == "agent:assistant-\(session.id)")
    let read = try harness.send(.get, "/\(session.id)", as: "anna")
    #expect(read.json == answer.json)
    #expect(read.response.headers["X-Request-Id"]?.isEmpty == false)
    #expect(read.response.headers["Content-Type"] == "application/json")
  }

  @Test func aUsedIDIsRefusedAlsoWhenItIsSomebodyElses() throws {
    let harness = RouterHarness()
    #expect(try harness.send(.post, "", ["id": "order-1042"], as: "anna").status == 201)
    for user in ["anna", "bert", nil] {
      let answer = try harness.send(.post, "", ["id": "order-1042"], as: user)
      #expect(answer.status == 409)
      #expect(answer.code == "session_exists")
    }
    #expect(try harness.send(.post, "/order-1042/stop", as: "anna").status == 204)
    #expect(try harness.send(.post, "", ["id": "order-1042"], as: "anna").status == 409)
    #expect(try harness.send(.delete, "/order-1042", as: "anna").status == 204)
    #expect(try harness.send(.post, "", ["id": "order-1042"], as: "bert").status == 201)
  }

  @Test(arguments: [
    ("{\"id\":\"a b\"}", 400, "invalid_id"), ("{\"titel\":\"x\"}", 400, "unknown_field"),
    ("{\"agent\":\"nobody\"}", 404, "agent_not_found"), ("{", 400, "invalid_json"),
    ("\"\u{FFFD}\"", 400, "invalid_field"),
    ("{\"agent\":\"a\",\"config_id\":\"b\"}", 400, "agent_and_config"),
    ("{\"model_overwrites\":{\"llm\":\"gpt-0\"}}", 400, "unroutable_model"),
    ("{\"config_id\":\"nothing\"}", 404, "agent_not_found"),
  ])
  func aWrongCreateIsRefused(_ body: String, _ status: Int, _ code: String) throws {
    let harness = RouterHarness()
    var request = HTTPRequest(.post, "/v1/agents/sessions")
    request.headers["X-Api-Key"] = "first"
    request.headers["Authorization"] = harness.token(user: "anna")
    request.body = Array(body.utf8)
    let answer = try harness.send(request)
    #expect(answer.status == status)
    #expect(answer.code == code)
    #expect(answer.json["error"]?["message"]?.stringValue?.isEmpty == false)
    #expect(answer.json["error"]?["type"] != nil)
  }

  @Test func bytesThatAreNotUTF8AreNamedAsSuch() throws {
    let harness = RouterHarness()
    var request = HTTPRequest(.post, "/v1/agents/sessions")
    request.headers["X-Api-Key"] = "first"
    request.headers["Authorization"] = harness.token(user: "anna")
    request.body = Array("{\"title\":\"".utf8) + [0xFF] + Array("\"}".utf8)
    #expect(try harness.send(request).code == "invalid_utf8")
    request.body = [UInt8](repeating: 0x20, count: 5 * 1024 * 1024 + 1)
    let large = try harness.send(request)
    #expect(large.status == 413)
    #expect(large.code == "too_large")
  }

  @Test func somebodyElsesSessionIsNotFoundWhateverIsAsked() throws {
    let harness = RouterHarness()
    try harness.send(.post, "", ["id": "annas"], as: "anna")
    let requests: [(HTTPRequest.Method, String, JSONValue?)] = [
      (.get, "", nil), (.patch, "", ["title": "x"]), (.patch, "", ["llm": "x"]),
      (.delete, "", nil), (.post, "/stop", nil), (.post, "/voice", nil), (.delete, "/voice", nil),
      (.get, "/responses", nil), (.post, "/responses", ["text": "x"]),
      (.get, "/responses/items", nil), (.get, "/channel", nil), (.get, "/channel/messages", nil),
      (.post, "/channel/messages", ["text": "x"]),
    ]
    for (method, path, body) in requests {
      for id in ["annas", "nobodys"] {
        let answer = try harness.send(method, "/\(id)\(path)", body, as: "bert")
        #expect(answer.status == 404, "\(method) \(path)")
        #expect(answer.code == "session_not_found", "\(method) \(path)")
      }
    }
    #expect(try harness.send(.get, "/annas", as: "anna").json["state"] == "live")
    #expect(try harness.send(.get, "/annas").status == 200)
  }

  @Test func anotherAppDoesNotSeeTheSession() throws {
    let harness = RouterHarness()
    try harness.send(.post, "", ["id": "one"])
    var request = HTTPRequest(.get, "/v1/agents/sessions/one")
    request.headers["X-Api-Key"] = "second"
    request.headers["Stream-Auth-Type"] = "server"
    request.headers["Authorization"] = harness.token(user: nil, app: RouterHarness.otherSecret)
    #expect(try harness.send(request).code == "session_not_found")
  }

  @Test func aDeviceChangesLabelsOnly() throws {
    let harness = RouterHarness()
    try harness.send(.post, "", ["id": "one", "custom": ["a": 1]], as: "anna")
    let refused = try harness.send(.patch, "/one", ["title": "x", "voice": "v"], as: "anna")
    #expect(refused.status == 403)
    #expect(refused.code == "field_server_only")
    #expect(try harness.send(.get, "/one", as: "anna").json["title"] == nil)
    let changed = try harness.send(.patch, "/one", ["title": "x", "custom": [:]], as: "anna")
    #expect(changed.status == 200)
    #expect(changed.json["title"] == "x")
    #expect(changed.json["custom"] == [:])
    #expect(try harness.send(.patch, "/one", ["instructions": "Be rude."]).status == 200)
  }

  @Test func anEndedSessionKeepsItsModels() throws {
    let harness = RouterHarness()
    try harness.send(.post, "", ["id": "one"])
    try harness.send(.post, "/one/stop")
    #expect(try harness.send(.patch, "/one", ["voice": "v"]).code == "session_ended")
    let changed = try harness.send(.patch, "/one", ["title": "x"])
    #expect(changed.json["title"] == "x")
    #expect(try harness.send(.get, "/one").json["title"] == "x")
  }

  @Test func onlyABackendSpeaksThroughRESTAndReadsTheAgents() throws {
    let harness = RouterHarness()
    try harness.send(.post, "", ["id": "one"], as: "anna")
    #expect(try harness.send(.post, "/one/say", ["text": "x"], as: "anna").code == "server_only")
    #expect(try harness.send(.post, "/one/interrupt", as: "anna").code == "server_only")
    #expect(try harness.send(.post, "/one/say", ["text": "x"]).status == 204)
    #expect(try harness.send(.post, "/one/say", ["text": ""]).status == 400)
    #expect(try harness.send(.post, "/one/interrupt").status == 204)
    try harness.send(.post, "/one/stop")
    #expect(try harness.send(.post, "/one/say", ["text": "x"]).code == "session_ended")

    var request = HTTPRequest(.get, "/v1/agents/configs", query: [("name", "plain")])
    request.headers["X-Api-Key"] = "first"
    request.headers["Authorization"] = harness.token(user: "anna")
    #expect(try harness.send(request).status == 403)
    request.headers["Authorization"] = harness.token(user: nil)
    request.headers["Stream-Auth-Type"] = "server"
    let agents = try harness.send(request).json
    #expect(agents.arrayValue?.count == 1)
    #expect(agents[0]?["name"] == "plain")
  }

  @Test func stoppingTwiceIsStoppingOnce() throws {
    let harness = RouterHarness()
    try harness.send(.post, "", ["id": "one"], as: "anna")
    #expect(try harness.send(.post, "/one/stop", as: "anna").status == 204)
    let ended = try harness.send(.get, "/one", as: "anna").json
    #expect(ended["state"] == "ended")
    #expect(ended["closed_at"] != nil)
    #expect(try harness.send(.post, "/one/stop", as: "anna").status == 204)
    #expect(try harness.send(.get, "/one", as: "anna").json == ended)
  }

  @Test func whatItCostIsToldToTheBackendAfterTheEnd() throws {
    let harness = RouterHarness()
    try harness.send(.post, "", ["id": "one"], as: "anna")
    #expect(try harness.send(.get, "/one").json["usage"] == nil)
    try harness.send(.post, "/one/stop", as: "anna")
    #expect(try harness.send(.get, "/one").json["usage"]?["cost_micros"] == 0)
    #expect(try harness.send(.get, "/one", as: "anna").json["usage"] == nil)
  }

  /// R26, R58, R63.
  @Test func voiceIsOnFromTheStartWhenAskedFor() throws {
    let harness = RouterHarness()
    let created = try harness.send(.post, "", ["id": "one", "start_voice": true], as: "anna")
    #expect(created.json["call_id"] == "one")
    #expect(created.json["modality"] == "voice")
    let stopped = try harness.send(.delete, "/one/voice", as: "anna")
    #expect(stopped.json["call_id"] == "")
    #expect(stopped.json["modality"] == "voice")
    try harness.send(.post, "/one/stop", as: "anna")
    #expect(try harness.send(.delete, "/one/voice", as: "anna").json["state"] == "ended")
    let again = try harness.send(.post, "/one/voice", as: "anna")
    #expect(again.json["state"] == "live")
    #expect(again.json["call_id"] == "one")
  }

  @Test func aSessionWhoseVoiceCannotStartIsNotLeftBehind() throws {
    let harness = RouterHarness()
    let body: JSONValue = ["id": "one", "start_voice": true, "voice": "mute"]
    let refused = try harness.send(.post, "", body, as: "anna")
    #expect(refused.status == 409)
    #expect(refused.code == "voice_unavailable")
    #expect(try harness.send(.get, "/one", as: "anna").status == 404)
  }

  @Test func anIncognitoSessionLeavesNothingBehind() throws {
    let harness = RouterHarness()
    let created = try harness.send(.post, "", ["id": "secret", "incognito": true], as: "anna")
    #expect(created.status == 201)
    #expect(created.json["conversation_id"] == "")
    #expect(try harness.send(.post, "", ["id": "secret"], as: "anna").status == 409)
    #expect(try harness.send(.get, "/secret", as: "anna").status == 200)
    #expect(try harness.send(.get, "/secret/channel", as: "anna").code == "channel_not_found")
    #expect(try harness.send(.post, "/query", as: "anna").ids == [])
    try harness.send(.post, "/secret/stop", as: "anna")
    #expect(try harness.send(.get, "/secret", as: "anna").status == 404)
  }

  @Test func tagsMergeAndTheProjectIsOne() async throws {
    let harness = RouterHarness()
    let body: JSONValue = ["id": "one", "project_id": "support", "tags": ["plan": "pro"]]
    try harness.send(.post, "", body)
    let directory = harness.directory
    let record = try harness.run {
      try? await directory.record("one", for: Caller(app: "first", kind: .backend))
    }
    #expect(record?.labels.tags == ["plan": "pro", "team": "a", "project": "support"])
  }

  @Test func moreSessionsThanTheLimitAreRefused() throws {
    let harness = RouterHarness { $0.limits.liveSessions = 2 }
    try harness.send(.post, "", ["id": "one"])
    try harness.send(.post, "", ["id": "two"])
    let refused = try harness.send(.post, "", ["id": "three"])
    #expect(refused.status == 503)
    #expect(refused.response.headers["Retry-After"] != nil)
    try harness.send(.post, "/one/stop")
    #expect(try harness.send(.post, "", ["id": "three"]).status == 201)
    // Opening an ended one again is no way round it.
    #expect(try harness.send(.post, "/one/voice").status == 503)
  }

  @Test func unknownPathsAndMethodsAreNotFound() throws {
    let harness = RouterHarness()
    for (method, path) in [
      (HTTPRequest.Method.put, ""), (.get, ""), (.get, "/one/unknown"), (.post, "/one"),
      (.get, "/one/events"), (.put, "/one/stop"),
    ] {
      let answer = try harness.send(method, path)
      #expect(answer.status == 404, "\(method) \(path)")
    }
    #expect(try harness.send(HTTPRequest(.get, "/")).status == 401)
  }

  @Test func healthNeedsNoKeyAndNamesWhatIsMissing() throws {
    let answer = try RouterHarness().send(HTTPRequest(.get, "/health"))
    #expect(answer.status == 503)
    #expect(answer.json["dependencies"]?["llm"] == "missing")
  }
}
