import Networking
import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore
import VoiceEngine

/// The conversation of `make run`, with scripted providers, in virtual time.
@Suite(.onScenarioThread) struct ConversationScenarios {
  /// The whole chain, each state as a person sees it.
  /// R76, R77, R78, R79, R80, R81, R82, R90.
  @Test(arguments: Scenario.seeds)
  func statesComeInTheirOrder(seed: UInt64) throws {
    let world = try SimulatedWorld(seed: seed)
    let (voice, _) = try world.converse(questions: 3)
    let turn = ["listening", "thinking", "speaking", "idle"]
    #expect(voice.states == ["connecting", "idle"] + turn + turn + turn, "\(world.replay)")
    #expect(
      voice.events(.heard).map(\.text) == WorldSettings().lines, "\(world.replay)")
    let turns = try world.storedTurns(of: voice.sessionID)
    #expect(turns.map(\.answer) == WorldSettings().replies, "\(world.replay)")
    #expect(turns.allSatisfy { $0.origin == .spoken }, "\(world.replay)")
  }

  /// How much earlier than in the room an utterance may end by the router's account: an Opus frame
  /// rings on behind the last voiced sample.
  private static let ringing = -1.0...25.0

  /// What is reported of the latency is what the room heard: the agent's first audible sample to
  /// 2 ms, the person's last one within the ringing of its packet.
  @Test(arguments: Scenario.seeds)
  func theLatencyReportedIsTheRoomsOwn(seed: UInt64) throws {
    let world = try SimulatedWorld(seed: seed)
    let settings = WorldSettings()
    let (voice, utterances) = try world.converse(questions: 3)
    // Words, answer and speech are made while the silence is waited for: none of them adds anything.
    let waiting = Double(settings.silenceMilliseconds)
    for (number, event) in voice.events(.turn).enumerated() {
      let reported = try #require(event.fields["v2v_ms"]?.doubleValue)
      let spoken = utterances[number]
      let heard = try #require(world.ear.firstHeard(after: spoken.lastVoiced))
      let truth = Double(heard - spoken.lastVoiced) / 48
      let place = "\(world.replay), turn \(number)"
      #expect(Self.ringing.contains(truth - reported), "\(place): \(truth) ms by the room")
      let started = world.startedAt(generation: number + 1)
      #expect(abs(try #require(started) - heard) <= 96, "\(place): heard at \(heard)")
      let share = reported - waiting
      print("seed \(seed), turn \(number): v2v \(reported) ms, of which ours \(share) ms")
      #expect(share > 0 && share < 150, "\(place)")
    }
  }

  @Test(arguments: Scenario.seeds)
  func oneSeedGivesOneJournalByteForByte(seed: UInt64) throws {
    let first = try SimulatedWorld(seed: seed)
    _ = try first.converse(questions: 2)
    let second = try SimulatedWorld(seed: seed)
    _ = try second.converse(questions: 2)
    let (one, other) = (first.journal.text, second.journal.text)
    #expect(one.utf8.count > 10_000)
    #expect(one == other, "\(first.replay): \(Scenario.firstDifference(one, other))")
    #expect(first.runtime.jobsRun == second.runtime.jobsRun, "\(first.replay)")
  }

  @Test func anotherSeedGivesAnotherJournal() throws {
    let first = try SimulatedWorld(seed: 1)
    _ = try first.converse(questions: 1)
    let second = try SimulatedWorld(seed: 2)
    _ = try second.converse(questions: 1)
    #expect(first.journal.text != second.journal.text)
  }

  @Test(arguments: Scenario.seeds)
  func aSlowLinkChangesTheLatencyAndNothingElse(seed: UInt64) throws {
    var settings = WorldSettings()
    settings.link.latency = .milliseconds(150)
    let world = try SimulatedWorld(seed: seed, settings)
    let (voice, utterances) = try world.converse(questions: 2)
    let turn = ["listening", "thinking", "speaking", "idle"]
    #expect(voice.states == ["connecting", "idle"] + turn + turn, "\(world.replay)")
    for (number, event) in voice.events(.turn).enumerated() {
      let reported = try #require(event.fields["v2v_ms"]?.doubleValue)
      let spoken = utterances[number]
      let heard = try #require(world.ear.firstHeard(after: spoken.lastVoiced))
      let truth = Double(heard - spoken.lastVoiced) / 48
      #expect(Self.ringing.contains(truth - reported), "\(world.replay): \(truth) by the room")
      #expect(reported > 800, "\(world.replay): two ways of 150 ms are in it")
    }
  }

  // MARK: Controls: with these switches the above must not hold.

  /// Without a voice the agent never gets to speak.
  @Test func withoutTheAgentsVoiceItIsNeverSpeaking() throws {
    var settings = WorldSettings()
    settings.voiceFaults = FaultPlan(
      Dictionary(uniqueKeysWithValues: (0..<100).map { ($0, .crash) }))
    let world = try SimulatedWorld(seed: 1, settings)
    let voice = try world.joined()
    let question = world.ask()
    world.run(for: .seconds(20))
    // The answer was made before the turn was decided, so it fails before anybody sees it thought of.
    #expect(!voice.events(.error).isEmpty)
    #expect(!voice.states.contains("speaking"))
    #expect(world.ear.firstHeard(after: question.lastVoiced) == nil)
  }

  /// A turn that no silence ends has no latency to report.
  @Test func withoutAnEndOfTheTurnNothingIsAnswered() throws {
    var settings = WorldSettings()
    settings.silenceMilliseconds = 3_600_000
    let world = try SimulatedWorld(seed: 1, settings)
    let voice = try world.joined()
    _ = world.ask()
    world.run(for: .seconds(20))
    #expect(voice.events(.turn).isEmpty)
    #expect(!voice.events(.hearing).isEmpty)
  }

  /// A device that hides 50 ms, in a room without an echo to find them by, is believed; the room
  /// knows better.
  @Test func withAHiddenLatencyTheReportIsWrong() throws {
    var settings = WorldSettings()
    settings.acoustics.hiddenLatencyFrames = 2_400
    settings.acoustics.echoGain = 0
    let world = try SimulatedWorld(seed: 1, settings)
    let (_, utterances) = try world.converse(questions: 1)
    let heard = try #require(world.ear.firstHeard(after: utterances[0].lastVoiced))
    let started = try #require(world.startedAt(generation: 1))
    #expect(abs(heard - started - 2_400) <= 96, "heard at \(heard), told \(started)")
  }
}
