import VisionAgentsCore

// The same calls where a reader may put them: on the main actor, and on an actor of the app's own.

@MainActor
func onTheMainActor(agents: VisionAgents) async throws {
  let agent = agents.agent("myagent")
  let session = try await agent.sessions.create()
  await session.start()
  let events = session.events()
  _ = try await session.responses.create("Where is order 1042?")
  for await event in events {
    if event.kind == .responded { break }
  }
  let levels: [Thinking] = [.none, .minimal, .low, .medium, .high]
  for level in levels {
    try await session.update(thinking: level)
  }
  try await session.update(thinking: .none)
  for try await item in session.responses.items.unwind() {
    print(item.kind, item.text)
  }
  try await session.interrupt(requestID: "one")
  let chat = try await session.chat()
  try await chat.sendMessage("noted")
  await session.close()
}

actor AnAppsActor {
  func use(agents: VisionAgents) async throws {
    let session = try await agents.attach(
      sessionID: "order-1042",
      tools: [
        AgentTool("find_order", description: "Finds an order") { arguments in
          "order \(arguments["number"]?.stringValue ?? "?") is on its way"
        }
      ])
    await session.start()
    try await session.say("Hello", interrupt: true)
    let voice = try await VoiceSession.attach(agents: agents, sessionID: session.id)
    await voice.join(camera: true)
    await voice.setMuted(true)
    print(await AIVoiceAgentState.of(voice: voice), await voice.call?.cid as Any)
    await voice.end()
    try await agents.close(sessionID: session.id)
    try await agents.sessions.update(session.id, SessionChanges(title: "Pricing"))
  }
}
