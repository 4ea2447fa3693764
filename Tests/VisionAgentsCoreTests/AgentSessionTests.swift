import Networking
import SessionsModel
import Synchronization
import Testing

@testable import VisionAgentsCore

@MainActor
struct AgentSessionTests {
  /// R4, R6, R162, R7.
  @Test func aQuestionIsAnsweredInEvents() async throws {
    let world = ScriptedWorld()
    let (session, socket) = try await world.startedSession()
    #expect(session.isConnected && session.failure == nil)
    #expect(session.state == .idle)
    #expect(socket.request.path == "/v1/agents/sessions/s1/events")
    #expect(socket.query("v") == "2" && socket.query("interim") == "true")
    world.router.answer { _ in .json(202, RouterAnswers.response()) }
    let events = session.events()
    let response = try await session.responses.create("Where is order 1042?")
    #expect(response.id == "t1")
    socket.send(["type": "responding", "seq": 2, "turn_id": "t1", "prompt": "Where?"])
    socket.send(["type": "response_delta", "seq": 3, "turn_id": "t1", "text": "On "])
    socket.send(["type": "response_delta", "seq": 4, "turn_id": "t1", "text": "its way."])
    socket.send(["type": "responded", "seq": 5, "turn_id": "t1", "text": "On its way."])
    var text = ""
    for await event in events {
      if event.kind == .responseDelta { text += event.text }
      if event.kind == .responded { break }
    }
    #expect(text == "On its way.")
    await until { session.state == .idle && session.turns.first?.status == .completed }
  }

  /// R85: the state follows the socket without anybody reading events.
  @Test func theStateFollowsTheSocket() async throws {
    let world = ScriptedWorld()
    let (session, socket) = try await world.startedSession()
    socket.send(["type": "responding", "seq": 2, "turn_id": "t1"])
    await until { session.state == .responding }
    socket.send(["type": "responded", "seq": 3, "turn_id": "t1", "pending_work": true])
    socket.send(["type": "delegated", "seq": 4, "task_id": "k", "skill": "search"])
    await until { session.state == .working(["search"]) }
    socket.send(["type": "left", "seq": 5])
    await until { session.state == .ended }
  }

  @Test func aBrokenSocketLosesAndRepeatsNothing() async throws {
    let world = ScriptedWorld()
    let (session, socket) = try await world.startedSession()
    let events = session.events()
    for seq in 2...4 { socket.send(delta(seq)) }
    socket.hangUp(code: 1006)
    let again = await world.router.nextSocket()
    #expect(again.query("after") == "4")
    #expect(again.query("stream") == "x")
    again.send(RouterAnswers.snapshot(seq: 6))
    for seq in 3...6 { again.send(delta(seq)) }
    again.send(["type": "left", "seq": 7])
    again.hangUp(code: 1000)
    var texts: [String] = []
    for await event in events where event.kind == .responseDelta {
      texts.append(event.text)
    }
    #expect(texts == ["2", "3", "4", "5", "6"])
    await until { session.state == .ended && !session.isConnected }
  }

  /// An app's backend is out of reach when the network is: that must not end the session.
  @Test func aTokenProviderThatFailsInAnOutageIsAskedAgain() async throws {
    struct Offline: Error {}
    let world = ScriptedWorld()
    let asked = Mutex(0)
    world.agents.setUser(User(id: "jlahey")) {
      let number = asked.withLock { asked in
        asked += 1
        return asked
      }
      if number == 2 { throw Offline() }
      return "token-\(number)"
    }
    let (session, socket) = try await world.startedSession()
    socket.hangUp(code: 4401)
    let again = await world.router.nextSocket()
    #expect(asked.withLock { $0 } == 3)
    again.send(RouterAnswers.snapshot())
    await until { session.isConnected }
    #expect(session.failure == nil && session.state == .idle)
  }

  /// R161.
  @Test func aToolIsRunAndAnsweredOnceAcrossABreak() async throws {
    let world = ScriptedWorld()
    let runs = Mutex(0)
    let tool = AgentTool("find_order", description: "Finds an order") { arguments in
      runs.withLock { $0 += 1 }
      return "order \(arguments["number"]?.intValue ?? 0)"
    }
    let (session, socket) = try await world.startedSession(tools: [tool])
    let call: SessionsModel.JSONValue = [
      "type": "tool_call", "seq": 2, "id": "c1", "name": "find_order", "turn_id": "t1",
      "arguments": "{\"number\":1042}",
    ]
    socket.send(["type": "tool_call", "seq": 1, "id": "c0", "name": "find_order"])
    socket.send(["type": "tool_call", "seq": 3, "id": "cx", "name": "not_ours"])
    socket.hangUp(code: 1006)
    let again = await world.router.nextSocket()
    again.send(RouterAnswers.snapshot(seq: 9, gap: true))
    again.send(call.with("seq", 10))
    again.send(call.with("seq", 11))
    let answer = try #require(await again.received("tool_result"))
    #expect(answer["tool_call_id"] == "c1")
    #expect(answer["output"] == "order 1042")
    #expect(answer["turn_id"] == "t1")
    try await session.say("and now this")
    #expect(await again.received()?["type"] == "say", "no second answer stands before it")
    #expect(runs.withLock { $0 } == 1)
  }

  @Test func aToolThatThrowsIsAnsweredInWords() async throws {
    struct Broken: Error {}
    let world = ScriptedWorld()
    let tool = AgentTool("find", description: "") { _ in throw Broken() }
    let (session, socket) = try await world.startedSession(tools: [tool])
    socket.send(["type": "tool_call", "seq": 2, "id": "c1", "name": "find", "arguments": "{"])
    let answer = try #require(await socket.received("tool_result"))
    #expect(answer["output"] == "")
    #expect(answer["error"]?.stringValue?.contains("find failed") == true)
    await session.close()
  }

  /// R149, R154, R155, R156.
  @Test func commandsGoOverTheSocketAndOpenItFirst() async throws {
    let world = ScriptedWorld()
    let session = try await world.agents.agent("myagent").sessions.create()
    async let said: Void = session.say("Hi", interrupt: true)
    let socket = await world.router.nextSocket()
    socket.send(RouterAnswers.snapshot())
    try await said
    #expect(
      await socket.received() == ["type": "say", "text": "Hi", "interrupt": true])
    try await session.say("And")
    #expect(await socket.received() == ["type": "say", "text": "And"])
    try await session.interrupt()
    #expect(await socket.received() == ["type": "interrupt"])
    try await session.interrupt(requestID: "q1")
    #expect(await socket.received() == ["type": "interrupt", "request_id": "q1"])
  }

  @Test func aRefusedSocketIsAFailureWithItsRequest() async throws {
    let world = ScriptedWorld()
    let session = try await world.agents.agent("myagent").sessions.create()
    world.router.refuseNextUpgrade(
      .refused(.error(404, type: "not_found", code: "session_not_found")))
    await session.start()
    guard case .http(let failure)? = session.failure else {
      Issue.record("no failure")
      return
    }
    #expect(failure.status == 404 && failure.code == "session_not_found")
    #expect(failure.requestID == "r-1")
    #expect(!session.isConnected)
    await #expect(throws: AgentsError.self) {
      world.router.refuseNextUpgrade(.refused(.error(404, type: "not_found", code: "x")))
      try await session.say("anybody?")
    }
  }

  /// R47, R49, R153.
  @Test func closingEndsTheEvents() async throws {
    let world = ScriptedWorld()
    let (session, socket) = try await world.startedSession()
    let events = session.events()
    world.router.answer { _ in HTTPResponse(status: 204) }
    socket.send(["type": "left", "seq": 2])
    socket.hangUp(code: 1000)
    await session.close()
    #expect(world.router.requests.last?.path == "/v1/agents/sessions/s1/stop")
    var kinds: [AgentEvent.Kind?] = []
    for await event in events where event.kind != .snapshot { kinds.append(event.kind) }
    #expect(kinds == [.left])
    #expect(session.state == .ended)
    await session.close()
    #expect(session.failure == nil)
  }

  private func delta(_ seq: Int) -> SessionsModel.JSONValue {
    ["type": "response_delta", "seq": .int(seq), "turn_id": "t1", "text": .string("\(seq)")]
  }
}

extension SessionsModel.JSONValue {
  func with(_ name: String, _ value: SessionsModel.JSONValue) -> Self {
    var copy = self
    copy[name] = value
    return copy
  }
}
