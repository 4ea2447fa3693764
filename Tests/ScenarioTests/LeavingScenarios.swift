import Networking
import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore

/// Leaving and ending by the SDK's own classes. Their mirrors live on the main actor, so the order
/// of steps is not the seed's alone here; what comes of them is.
@MainActor
struct LeavingScenarios {
  private func run<Value: Sendable>(
    _ world: SimulatedWorld, _ operation: @escaping @MainActor () async throws -> Value
  ) async throws -> Value {
    try await world.runtime.stepping(operation)
  }

  private func joined(_ world: SimulatedWorld, _ voice: VoiceSession) async throws {
    try await run(world) { await voice.join() }
    #expect(voice.failure == nil)
    #expect(voice.call != nil)
    #expect(world.isDeviceOpen)
  }

  private func hasEnded(_ world: SimulatedWorld, _ id: String) throws -> Bool {
    try #require(try world.storedSession(id)).state == .ended
  }

  /// R70, R94.
  @Test func leavingASessionThatStartOpenedEndsIt() async throws {
    let world = try SimulatedWorld(seed: 1)
    let voice = try await run(world) { try await VoiceSession.start(agents: world.agents) }
    try await joined(world, voice)
    #expect(!(try hasEnded(world, voice.session.id)))
    try await run(world) { await voice.leave() }
    world.run(for: .seconds(1))
    #expect(try hasEnded(world, voice.session.id), "R70, R94")
    #expect(!world.isDeviceOpen)
    #expect(voice.call == nil)
    #expect(AIVoiceAgentState.of(voice: voice) == .idle, "R81")
  }

  /// R62, R70.
  @Test func leavingASessionThatWasAttachedKeepsIt() async throws {
    let world = try SimulatedWorld(seed: 2)
    let opened = try await run(world) { try await VoiceSession.start(agents: world.agents) }
    let id = opened.session.id
    let voice = try await run(world) {
      try await VoiceSession.attach(agents: world.agents, sessionID: id)
    }
    try await joined(world, voice)
    try await run(world) { await voice.leave() }
    world.run(for: .seconds(5))
    #expect(!(try hasEnded(world, id)), "R62")
    #expect(!world.isDeviceOpen)
    #expect(try #require(try world.storedSession(id)).isVoiceOn, "the agent is still on the call")
    // It can be joined again, and answers.
    let again = try await run(world) {
      try await VoiceSession.attach(agents: world.agents, sessionID: id)
    }
    try await joined(world, again)
    let question = world.ask()
    world.run(for: .seconds(5))
    #expect(world.ear.firstHeard(after: question.lastVoiced) != nil)
  }

  /// R71.
  @Test func endingASessionThatWasAttachedEndsIt() async throws {
    let world = try SimulatedWorld(seed: 3)
    let opened = try await run(world) { try await VoiceSession.start(agents: world.agents) }
    let id = opened.session.id
    let voice = try await run(world) {
      try await VoiceSession.attach(agents: world.agents, sessionID: id)
    }
    try await joined(world, voice)
    try await run(world) { await voice.end() }
    world.run(for: .seconds(1))
    #expect(try hasEnded(world, id), "R71")
    #expect(!world.isDeviceOpen)
    #expect(voice.session.state == .ended)
  }

  @Test func leavingInTheMiddleOfAReplyEndsTheReply() async throws {
    let world = try SimulatedWorld(seed: 4)
    let opened = try await run(world) { try await VoiceSession.start(agents: world.agents) }
    let id = opened.session.id
    let voice = try await run(world) {
      try await VoiceSession.attach(agents: world.agents, sessionID: id)
    }
    try await joined(world, voice)
    let question = world.ask()
    try world.run(until: "the reply") { world.ear.firstHeard(after: question.lastVoiced) != nil }
    world.run(for: .milliseconds(600))
    try await run(world) { await voice.leave() }
    world.run(for: .seconds(2))
    let turn = try #require(try world.storedTurns(of: id).last)
    #expect(turn.isInterrupted)
    #expect(!turn.answer.isEmpty && turn.answer.count < WorldSettings().replies[0].count)
    #expect(!(try hasEnded(world, id)))
  }

  /// Starting opened it but nobody ever joined: leaving ends it all the same.
  @Test func leavingBeforeJoiningEndsASessionThatStartOpened() async throws {
    let world = try SimulatedWorld(seed: 5)
    let voice = try await run(world) { try await VoiceSession.start(agents: world.agents) }
    try await run(world) { await voice.leave() }
    #expect(try hasEnded(world, voice.session.id))
  }

  /// The control: without leaving the session lives, the microphone is open and the reply is whole.
  @Test func withoutLeavingNothingEnds() async throws {
    let world = try SimulatedWorld(seed: 4)
    let voice = try await run(world) { try await VoiceSession.start(agents: world.agents) }
    try await joined(world, voice)
    let question = world.ask()
    try world.run(until: "the reply") { world.ear.firstHeard(after: question.lastVoiced) != nil }
    world.run(for: .seconds(5))
    #expect(!(try hasEnded(world, voice.session.id)))
    #expect(world.isDeviceOpen)
    #expect(voice.call != nil)
    let turn = try #require(try world.storedTurns(of: voice.session.id).last)
    #expect(!turn.isInterrupted && turn.answer == WorldSettings().replies[0])
  }
}
