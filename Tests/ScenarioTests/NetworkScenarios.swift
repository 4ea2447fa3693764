import Networking
import SessionsModel
import Simulation
import Testing
import VisionAgentsCore

/// The network breaks in the middle of a reply and comes back.
@Suite(.onScenarioThread) struct NetworkScenarios {
  private static let longReply =
    "One two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    + " sixteen seventeen eighteen nineteen twenty."

  private struct Call {
    var world: SimulatedWorld
    var voice: SimulatedVoice
    var observer: SimulatedVoice
  }

  private func call(seed: UInt64, latency: Duration = .zero) throws -> Call {
    var settings = WorldSettings()
    settings.answers[settings.lines[0]] = Self.longReply
    settings.link.latency = latency
    let world = try SimulatedWorld(seed: seed, settings)
    let voice = try world.startVoice()
    let observer = try world.observe(voice.sessionID)
    try voice.join()
    world.run(for: .milliseconds(500))
    return Call(world: world, voice: voice, observer: observer)
  }

  private func breakLinks(
    _ links: [SimulatedNetwork.Link], _ world: SimulatedWorld, for duration: Duration,
    latency: Duration
  ) throws {
    let network = world.network
    try world.run("breaking") {
      for link in links {
        await network.setConditions(LinkConditions(latency: latency, state: .down), of: link)
      }
    }
    world.run(for: duration)
    try world.run("mending") {
      for link in links {
        await network.setConditions(LinkConditions(latency: latency), of: link)
      }
    }
  }

  @Test(
    arguments: Scenario.seeds,
    [[.events], [.media], [.events, .media]] as [[SimulatedNetwork.Link]])
  func aBreakInAReplyIsResumed(seed: UInt64, links: [SimulatedNetwork.Link]) throws {
    try check(seed: seed, links, latency: .zero)
  }

  @Test(arguments: Scenario.seeds)
  func aBreakOfASlowLinkIsResumed(seed: UInt64) throws {
    try check(seed: seed, [.events, .media], latency: .milliseconds(150))
  }

  private func check(
    seed: UInt64, _ links: [SimulatedNetwork.Link], latency: Duration
  ) throws {
    let call = try call(seed: seed, latency: latency)
    let (world, voice) = (call.world, call.voice)
    let place = "\(world.replay), \(links)"
    let question = world.ask()
    try world.run(until: "the reply") { world.ear.firstHeard(after: question.lastVoiced) != nil }
    world.run(for: .milliseconds(900))
    try breakLinks(links, world, for: .seconds(1), latency: latency)
    try world.run(until: "the first turn's end") { voice.events(.turn).count == 1 }
    #expect(voice.states.last == "idle", "\(place)")

    // The router gives a device that vanished 30 s; this one is back and keeps its place.
    world.run(for: .seconds(40))
    #expect(voice.events(.participantLeft).isEmpty, "\(place): it lost its place")
    let second = world.ask()
    try world.run(until: "the second turn") { voice.events(.turn).count == 2 }
    #expect(world.ear.firstHeard(after: second.lastVoiced) != nil, "\(place)")
    world.run(for: .seconds(1))
    let (mine, others) = (told(voice), told(call.observer))
    #expect(mine == others, "\(place): \(Scenario.firstDifference(mine, others))")
    if links == [.events] {
      let heard = world.ear.stretches.first { $0.first > question.lastVoiced }
      #expect((heard?.milliseconds ?? 0) > 4_900, "\(place): the sound never stopped")
    }
  }

  /// The events that a reader was told, one a line; a snapshot belongs to a socket, not to the story.
  private func told(_ voice: SimulatedVoice) -> String {
    voice.events.filter { $0.kind != .snapshot }
      .map { "\($0.type) \(JSONValue.object($0.fields))\n" }.joined()
  }

  /// R69.
  @Test(arguments: Scenario.seeds)
  func mutingSurvivesABreak(seed: UInt64) throws {
    let call = try call(seed: seed)
    let (world, voice) = (call.world, call.voice)
    try voice.setMuted(true)
    world.run(for: .milliseconds(200))
    try breakLinks([.events, .media], world, for: .seconds(1), latency: .zero)
    world.run(for: .seconds(5))
    _ = world.ask()
    world.run(for: .seconds(8))
    #expect(voice.events(.hearing).isEmpty, "\(world.replay): something was heard while muted")
    #expect(
      world.journal.entries.last {
        $0.source == Journal.Source.sent && $0.frame?.type == .callMute
      }?
      .frame?["audio"] == true, "\(world.replay)")
    try voice.setMuted(false)
    world.run(for: .seconds(1))
    _ = world.ask()
    try world.run(until: "an answer after unmuting") { voice.events(.turn).count == 1 }
  }

  /// Muted while the events socket was away: the router learns of it when it is back.
  @Test(arguments: Scenario.seeds)
  func mutingDuringABreakIsTold(seed: UInt64) throws {
    let call = try call(seed: seed)
    let (world, network) = (call.world, call.world.network)
    try world.run("breaking") {
      await network.setConditions(LinkConditions(state: .down), of: .events)
    }
    try call.voice.setMuted(true)
    world.run(for: .seconds(1))
    let before = world.journal.entries.count
    try world.run("mending") { await network.setConditions(LinkConditions(), of: .events) }
    world.run(for: .seconds(10))
    let sent = world.journal.entries.dropFirst(before).filter { $0.frame?.type == .callMute }
    #expect(sent.last?.frame?["audio"] == true, "\(world.replay)")
  }

  // MARK: Controls: with these switches the above must not hold.

  /// A link that stays down: the device loses its place, and nobody answers it.
  @Test func aBreakThatIsNotMendedIsSeen() throws {
    let call = try call(seed: 1)
    let (world, network) = (call.world, call.world.network)
    _ = world.ask()
    try world.run(until: "the reply") { call.voice.states.last == "speaking" }
    try world.run("breaking") {
      for link in SimulatedNetwork.Link.allCases {
        await network.setConditions(LinkConditions(state: .down), of: link)
      }
    }
    world.run(for: .seconds(45))
    #expect(!call.observer.events(.participantLeft).isEmpty, "it kept its place")
    let second = world.ask()
    world.run(for: .seconds(10))
    #expect(world.ear.firstHeard(after: second.lastVoiced) == nil)
    let (mine, others) = (told(call.voice), told(call.observer))
    #expect(mine != others)
  }

  /// What is said over a break is heard when nobody muted anything.
  @Test func withoutMutingTheSameSpeechIsHeard() throws {
    let call = try call(seed: 1)
    let world = call.world
    try breakLinks([.events, .media], world, for: .seconds(1), latency: .zero)
    world.run(for: .seconds(5))
    _ = world.ask()
    world.run(for: .seconds(8))
    #expect(!call.voice.events(.hearing).isEmpty)
    #expect(
      world.journal.entries.last {
        $0.source == Journal.Source.sent && $0.frame?.type == .callMute
      }?
      .frame?["audio"] != true)
  }
}
