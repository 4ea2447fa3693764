import Networking
import SessionsModel
import Simulation
import Stores
import Testing

@testable import AgentRouter

@Suite struct EventsSocketTests {
  private func harness() throws -> RouterHarness {
    let harness = RouterHarness()
    try harness.send(.post, "", ["id": "one"], as: "anna")
    return harness
  }

  private func state(_ harness: RouterHarness) throws -> String? {
    try harness.send(.get, "/one", as: "anna").json["state"]?.stringValue
  }

  private func emit(_ harness: RouterHarness, _ frames: [Frame]) throws {
    let directory = harness.directory
    _ = try harness.run {
      let holder = await directory.holders(ofID: "one").first as? ScriptedHolder
      for frame in frames { await holder?.emit(frame) }
      return true
    }
    harness.runtime.run(for: .milliseconds(1))
  }

  @Test func aWatcherOfVersion2GetsASnapshotAndNumbersAPublicOneDoesNot() throws {
    let harness = try harness()
    let ours = try harness.open("one", query: [("v", "2")])
    let theirs = try harness.open("one")
    try emit(harness, [Frame(.heard, ["text": "hello"])])
    #expect(ours.frames.map(\.type) == [.snapshot, .heard])
    #expect(ours.frames.last?.seq == 1)
    #expect(theirs.texts == [.text(#"{"text":"hello","type":"heard"}"#)])
  }

  @Test func aWatcherThatComesBackGetsExactlyWhatItMissed() throws {
    let harness = try harness()
    let first = try harness.open("one", query: [("v", "2")])
    try emit(harness, [Frame(.heard, ["text": "1"])])
    let stream = try #require(first.frames[0]["stream"]?.stringValue)
    first.hangUp(1006)
    try emit(harness, [Frame(.heard, ["text": "2"]), Frame(.heard, ["text": "3"])])
    let second = try harness.open(
      "one", query: [("v", "2"), ("after", "1"), ("stream", stream)])
    #expect(second.frames.dropFirst().map { $0["text"]?.stringValue } == ["2", "3"])
    #expect(second.frames[0]["gap"] == false)
  }

  @Test func captionsAndDecisionsAreSentToThoseWhoWantThem() throws {
    let harness = try harness()
    let plain = try harness.open("one")
    let captions = try harness.open("one", query: [("interim", "true"), ("decisions", "false")])
    try emit(harness, [Frame(.hearing), Frame(.decision), Frame(.heard)])
    #expect(plain.frames.map(\.type) == [.decision, .heard])
    #expect(captions.frames.map(\.type) == [.hearing, .heard])
  }

  @Test func commandsReachTheSessionAndMistakesComeBackAsErrors() throws {
    let harness = try harness()
    let socket = try harness.open("one")
    for text in ["{", "[]", "{\"text\":\"x\"}", "null"] { socket.deliver(.message(.text(text))) }
    socket.deliver(.message(.binary([1])))
    socket.say(["type": "say", "text": "hi"])
    harness.runtime.run(for: .milliseconds(1))
    #expect(socket.frames.map(\.type) == Array(repeating: .error, count: 5) + [.commandAccepted])
    #expect(socket.frames[0]["context"] == "command")
    #expect(socket.frames[0]["error"]?.stringValue?.contains("byte 1") == true)
    #expect(socket.closeCode == nil)
  }

  @Test func aCloseCommandIsAppliedBeforeTheNextRequest() throws {
    let harness = try harness()
    let socket = try harness.open("one")
    socket.say(["type": "close"])
    socket.hangUp(1005)
    // The command has arrived, but the session is still at its end.
    harness.runtime.run(for: .milliseconds(10))
    #expect(try state(harness) == "ended")
    #expect(socket.frames.last?.type == .left)
    harness.runtime.run(for: .milliseconds(1))
    #expect(socket.isServed)
  }

  /// R51.
  @Test(arguments: [1000, 1001, 1005])
  func aSessionInWritingEndsWithItsLastWatcher(_ code: Int) throws {
    let harness = try harness()
    let first = try harness.open("one")
    let second = try harness.open("one")
    first.hangUp(code)
    harness.runtime.run(for: .milliseconds(1))
    #expect(try state(harness) == "live")
    second.hangUp(code)
    harness.runtime.run(for: .milliseconds(1))
    #expect(try state(harness) == "ended")
  }

  @Test func aDroppedWatcherHasThirtySecondsToComeBack() throws {
    let harness = try harness()
    try harness.open("one").hangUp(1006)
    harness.runtime.run(for: .milliseconds(29_900))
    #expect(try state(harness) == "live")
    let back = try harness.open("one")
    harness.runtime.run(for: .seconds(60))
    #expect(try state(harness) == "live")
    back.hangUp(1006)
    harness.runtime.run(for: .milliseconds(30_100))
    #expect(try state(harness) == "ended")
  }

  @Test func aSessionNobodyWatchesEndsTenMinutesAfterItsLastAnswer() throws {
    let harness = try harness()
    harness.runtime.run(for: .seconds(300))
    try harness.send(.post, "/one/responses", ["text": "hi"], as: "anna")
    harness.runtime.run(for: .seconds(599))
    #expect(try state(harness) == "live")
    harness.runtime.run(for: .seconds(2))
    #expect(try state(harness) == "ended")
  }

  @Test func aSessionWithVoiceOnOutlivesItsWatchers() throws {
    let harness = try harness()
    try harness.send(.post, "/one/voice", as: "anna")
    try harness.open("one").hangUp(1000)
    harness.runtime.run(for: .seconds(60))
    #expect(try state(harness) == "live")
    harness.runtime.run(for: .seconds(600))
    #expect(try state(harness) == "ended")
  }

  @Test func watchingAnEndedSessionReopensIt() throws {
    let harness = try harness()
    try harness.send(.post, "/one/stop", as: "anna")
    let socket = try harness.open("one", query: [("v", "2")])
    #expect(try state(harness) == "live")
    #expect(socket.frames.map(\.type) == [.snapshot])
  }

  @Test func aWatcherOfAnEarlierLifeHasNoSayInTheNextOne() throws {
    let harness = try harness()
    let directory = harness.directory
    let key = SessionKey(app: "first", id: "one")
    let old = EventWatcher(
      id: "old", caller: Caller(app: "first", kind: .device, userID: "anna"),
      options: WatchOptions())
    #expect(try harness.run { await directory.attach(old, to: key) })
    try harness.send(.post, "/one/stop", as: "anna")
    let new = try harness.open("one")
    _ = try harness.run {
      // Its client was slow to close the socket.
      await directory.handle(["type": "say", "text": "late"], from: old, of: key)
      await directory.close(key, by: old)
      await directory.detach(old, from: key, normally: true)
      return true
    }
    harness.runtime.run(for: .milliseconds(100))
    #expect(try state(harness) == "live")
    #expect(new.frames.isEmpty)
    new.hangUp(1000)
    harness.runtime.run(for: .milliseconds(100))
    #expect(try state(harness) == "ended")
  }

  @Test func whoMayNotWatchIsRefused() throws {
    let harness = try harness()
    let path = "/v1/agents/sessions/one/events"
    func status(_ query: [(name: String, value: String)]) throws -> Int? {
      guard case .refuse(let response) = try harness.upgrade(HTTPRequest(.get, path, query: query))
      else { return nil }
      #expect(response.headers["X-Request-Id"] != nil)
      return response.status
    }
    #expect(try status([]) == 401)
    #expect(try status([("api_key", "first"), ("token", "x")]) == 401)
    #expect(
      try status([("api_key", "first"), ("token", harness.token(user: "bert"))]) == 404)
    #expect(
      try status([
        ("api_key", "first"), ("token", harness.token(user: "anna")), ("interim", "maybe"),
      ]) == 400)
  }

  @Test func aSessionThatDoesNotExistIsSaidOnTheSocket() throws {
    let socket = try harness().open("nothing")
    #expect(socket.frames.map(\.type) == [.error])
    #expect(socket.frames[0]["code"] == "session_not_found")
    #expect(socket.closeCode == 4404)
    #expect(socket.isServed)
  }

  @Test func aTokenThatExpiresEndsTheSocketAndTheClientComesBack() throws {
    let harness = try harness()
    let expiry = harness.runtime.secondsSince1970 + 10
    let token = Token.mint(
      TokenClaims(userID: "anna", expiresAt: expiry), secret: RouterHarness.secret)
    let request = HTTPRequest(
      .get, "/v1/agents/sessions/one/events", query: [("api_key", "first"), ("token", token)])
    guard case .accept(let serve) = try harness.upgrade(request) else {
      Issue.record("refused")
      return
    }
    let socket = ScriptedSocket()
    harness.runtime.task { await serve(socket) }
    harness.runtime.run(for: .seconds(69))
    #expect(socket.closeCode == nil)
    harness.runtime.run(for: .seconds(2))
    #expect(socket.closeCode == 4401)
    #expect(socket.frames.last?["code"] == "token_expired")
    #expect(try state(harness) == "live")
  }

  @Test func theMediaSocketNeedsATokenOfTheSession() throws {
    let harness = try harness()
    func upgrade(_ id: String, _ token: String?) throws -> WebSocketUpgrade {
      try harness.upgrade(
        HTTPRequest(
          .get, "/v1/calls/agent/\(id)/media", query: token.map { [("token", $0)] } ?? []))
    }
    guard case .refuse(let missing) = try upgrade("one", nil),
      case .refuse(let unknown) = try upgrade("two", "once"),
      case .accept(let serveWrong) = try upgrade("one", "stale"),
      case .accept(let serve) = try upgrade("one", "once")
    else {
      Issue.record("the upgrades were judged wrongly")
      return
    }
    #expect(missing.status == 401)
    #expect(unknown.status == 404)
    let wrong = ScriptedSocket()
    let right = ScriptedSocket()
    harness.runtime.task { await serveWrong(wrong) }
    harness.runtime.task { await serve(right) }
    harness.runtime.run(for: .milliseconds(1))
    #expect(wrong.closeCode == 4401)
    #expect(right.texts == [.text("media of device")])
  }
}
