import Foundation
import VisionAgentsCore

// The Swift samples of the Sessions API document, as they stand there. They compile as a client's
// code would, with this one import; the tests of the rules run each of them against the router.

/// Stands for the reader's own backend.
public struct YourBackend: Sendable {
  public init(token: @escaping @Sendable () async throws -> String) { self.token = token }
  let token: @Sendable () async throws -> String
  func agentToken() async throws -> String { try await token() }
}

public enum SeedSamples {
  /// "Let's get started and create your first session"
  @MainActor
  public static func firstSession(yourBackend: YourBackend) async throws -> AgentSession {
    let agents = VisionAgents(apiKey: "your_api_key")
    agents.setUser(User(id: "jlahey")) { try await yourBackend.agentToken() }
    let agent = agents.agent("myagent")

    let session = try await agent.sessions.create()
    await session.start()
    return session
  }

  /// "Now that you have a session open"
  public static func respond(session: AgentSession) async throws {
    let events = session.events()
    _ = try await session.responses.create("Where is order 1042?")

    for await event in events {
      if event.kind == .responseDelta { print(event.text, terminator: "") }
      if event.kind == .responded { break }
    }
  }

  /// "sessions.create creates a conversation"
  public static func createWithOptions(agent: Agent) async throws -> AgentSession {
    var options = SessionOptions()
    options.title = "Order 1042"
    options.custom = ["ticket": "4721"]
    let session = try await agent.sessions.create(options)
    await session.start()
    return session
  }

  /// "Passing your own id gives you control over uniqueness"
  public static func createWithID(agent: Agent) async throws -> AgentSession {
    var options = SessionOptions()
    options.id = "order-1042"
    options.title = "Order 1042"
    let session = try await agent.sessions.create(options)
    return session
  }

  /// "Models, cost tags and incognito"
  public static func createWithModels(agent: Agent) async throws -> AgentSession {
    var options = SessionOptions()
    options.modelOverwrites = ModelOverwrites(llm: "llm-thinking", thinking: .high)
    options.tags = ["customer_id": "123", "plan": "pro"]
    options.incognito = true
    let session = try await agent.sessions.create(options)
    return session
  }

  /// "Update a running session"
  public static func update(session: AgentSession) async throws -> Session {
    let updated = try await session.update(title: "Pricing")
    return updated
  }

  /// "Delete or Close a session"
  public static func closeAndDelete(session: AgentSession) async throws {
    await session.close()
    try await session.delete()
    // A session you only have the id of: agents.close(sessionID:)
  }

  /// "Voice"
  public static func voice(agents: VisionAgents, session: AgentSession) async throws {
    try await session.startVoice()

    // Joins the call "agent:" + session.id with Stream Video, as the user setUser named.
    let voice = try await VoiceSession.attach(agents: agents, sessionID: session.id)
    await voice.join()

    // When you are done talking. Leaving a call you attached to keeps the session.
    await voice.leave()
    try await session.stopVoice()
  }

  /// "Getting a session"
  public static func getOne(agent: Agent, id: String) async throws {
    let session = try await agent.sessions.get(id)
    print(session.title, session.state, session.modality)
    // The review and usage are only given to your backend.
  }

  /// "Querying"
  public static func query(agent: Agent) async throws -> [Session] {
    var query = SessionQuery(limit: 20)
    query.projectID = "support"
    query.state = .ended
    query.createdSince = try Date("2026-10-01T00:00:00Z", strategy: .iso8601)
    query.createdBefore = try Date("2026-11-01T00:00:00Z", strategy: .iso8601)
    let page = try await agent.sessions.query(query)
    let sessions = page.items
    return sessions
  }

  /// "Searching"
  public static func search(agent: Agent) async throws -> Session {
    var query = SessionQuery(limit: 5)
    query.state = .ended
    let found = try await agent.sessions.search("order 1042", query)
    let one = try await agent.sessions.get(found.items[0].id)
    return one
  }

  /// "Pagination"
  public static func paginate(agent: Agent) async throws -> [Session] {
    var query = SessionQuery(limit: 50)
    query.projectID = "support"

    let page1 = try await agent.sessions.query(query)

    if page1.hasMore, let cursor = page1.nextCursor {
      query.cursor = cursor
      let page2 = try await agent.sessions.query(query)
      return page1.items + page2.items
    }
    return page1.items
  }

  /// "Fork"
  public static func fork(
    agents: VisionAgents, session: AgentSession, turns: [Response]
  ) async throws -> [Any] {
    var options = ForkOptions()
    options.modelOverwrites = ModelOverwrites(llm: "llm-thinking")
    options.title = "Order 1042, thinking harder"
    let forked = try await session.fork(options)
    // A fork comes back as a record: attach opens it as a live session, as it does any session by id.
    let harder = try await agents.attach(sessionID: forked.id)

    let fromThere = try await session.fork(ForkOptions(responseID: turns[0].id))

    var fromNothing = ForkOptions()
    fromNothing.withoutHistory = true
    let fresh = try await session.fork(fromNothing)
    return [harder, fromThere, fresh]
  }

  /// "Rewind"
  public static func rewind(session: AgentSession, turns: [Response]) async throws {
    try await session.responses.rewind(to: turns[0].id)
  }

  /// "Interrupt"
  public static func interrupt(session: AgentSession) async throws {
    let events = session.events()
    // say(_:interrupt: true) stops the reply in progress first.
    try await session.say("Hi, I can help with your order.")
    _ = try await session.responses.create("Where is order 1042?")

    for await event in events {
      if event.kind == .responseDelta { print(event.text, terminator: "") }
      if event.kind == .responded { break }
    }

    // interrupt(requestID:) stops only the reply answering that request, the request_id on its events.
    try await session.interrupt()
  }
}

/// "VoiceScreen.swift", without its views: how a session starts, and what the agent is doing.
@MainActor
public struct VoiceScreen {
  public init(agents: VisionAgents) { self.agents = agents }

  let agents: VisionAgents

  public func start() async throws -> (voice: VoiceSession, chat: ChatChannelController) {
    // The agent joins the session's call right away.
    let voice = try await VoiceSession.start(agents: agents, agent: "my-agent")
    // The session's socket, which follows what the agent is doing.
    await voice.session.start()
    return (voice, try await openChat(for: voice.session))
  }

  private func openChat(for session: AgentSession) async throws -> ChatChannelController {
    try await session.chat()
  }
}

/// What the agent is doing, in the states the glow takes.
@MainActor
public struct VoiceStatus {
  public init(voice: VoiceSession, call: CallState) {
    self.voice = voice
    self.call = call
  }

  var voice: VoiceSession
  // The call's participants, and which of them is speaking.
  var call: CallState

  public var state: AIVoiceAgentState {
    // Speaking comes from the call: a reply is written before it is spoken.
    if call.remoteParticipants.contains(where: \.isSpeaking) { return .speaking }
    if call.localParticipant?.isSpeaking == true { return .listening }
    switch voice.session.state {
    case .listening: return .listening
    case .responding, .working: return .thinking
    case .idle, .ended: return .idle
    }
  }
}
