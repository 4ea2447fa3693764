import Providers
import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore

/// R37: a session whose model hears and speaks itself.
@Suite(.onScenarioThread) struct SpeechToSpeechScenarios {
  private static let answer = "Paris is the capital of France."

  private func world(_ seed: UInt64, isMute: Bool = false) throws -> SimulatedWorld {
    var settings = WorldSettings()
    settings.nativeAnswer = Self.answer
    settings.nativeIsMute = isMute
    return try SimulatedWorld(seed: seed, settings)
  }

  @Test(arguments: Scenario.seeds)
  func theModelsOwnVoiceIsHeardAndItHearsThePerson(seed: UInt64) throws {
    let world = try world(seed)
    let (voice, utterances) = try world.converse(questions: 2)
    let native = try #require(world.nativeModel)
    #expect(world.voiceOfAgent.spoken.isEmpty, "\(world.replay): no other voice was asked")
    #expect(world.model.prompts.isEmpty, "\(world.replay)")
    #expect(native.prompts.count == 2, "\(world.replay)")
    for prompt in native.prompts {
      // What was said before is remembered in words.
      #expect(prompt.messages.dropLast().allSatisfy { $0.sound.isEmpty })
      #expect((prompt.messages.last?.sound.count ?? 0) > 8_000, "\(world.replay)")
    }
    let turns = try world.storedTurns(of: voice.sessionID)
    #expect(turns.map(\.answer) == [Self.answer, Self.answer], "\(world.replay)")
    for utterance in utterances {
      _ = try #require(
        world.ear.firstHeard(after: utterance.lastVoiced), "\(world.replay): nothing was heard")
    }
    // Six words of 250 ms each.
    let lengths = voice.events(.heardOut).compactMap { $0.fields["played_ms"]?.intValue }
    #expect(lengths == [1_500, 1_500], "\(world.replay)")
  }

  /// The control: without sound of its own its words are spoken by the session's voice.
  @Test func wordsWithoutSoundAreSpokenByTheSessionsVoice() throws {
    let world = try world(1, isMute: true)
    let (voice, _) = try world.converse(questions: 1)
    #expect(!world.voiceOfAgent.spoken.isEmpty)
    let turns = try world.storedTurns(of: voice.sessionID)
    #expect(turns.map(\.answer) == [Self.answer])
  }
}
