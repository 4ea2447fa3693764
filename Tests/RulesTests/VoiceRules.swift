import AgentRouter
import Networking
import Providers
import SeedSamples
import SessionsModel
import Simulation
import Stores
import Testing
import VisionAgentsCore

extension Rules {
  /// The seed's rules of a call, with the SDK's own classes on a device in a simulated room.
  @MainActor struct VoiceRules {
    private func run<Value: Sendable>(
      _ world: SimulatedWorld, _ operation: @escaping @MainActor () async throws -> Value
    ) async throws -> Value {
      try await world.runtime.stepping(operation)
    }

    /// Lets the world run on until something shows on the main actor.
    private func wait(
      _ world: SimulatedWorld, _ what: String, limit: Int = 60_000, _ holds: () -> Bool
    ) async throws {
      for _ in 1...limit {
        if holds() { return }
        world.run(for: .milliseconds(1))
        await Task.yield()
      }
      Issue.record("\(what) never happened")
    }

    private func written(_ world: SimulatedWorld) async throws -> AgentSession {
      try await run(world) {
        let session = try await world.agents.agent("helper").sessions.create()
        await session.start()
        return session
      }
    }

    @Test("R26 R59 R63 R64 R72 R91 R109 with start the agent is on the call before the device")
    func start() async throws {
      let world = try SimulatedWorld(seed: 1)
      let voice = try await run(world) { try await VoiceSession.start(agents: world.agents) }
      let session = voice.session.session
      #expect(session.callID == session.id && session.callType == "agent")
      #expect(session.modality == .voice)
      #expect(voice.call == nil && !voice.isMuted && !voice.isCameraEnabled && voice.failure == nil)
      #expect(AIVoiceAgentState.of(voice: voice) == .connecting, "R77")
      try await run(world) { await voice.join() }
      #expect(voice.failure == nil)
      let call = try #require(voice.call)
      #expect(call.cid == "agent:\(session.id)")
      #expect(call.state.remoteParticipants.map(\.id) == ["agent"])
      #expect(call.state.localParticipant?.userID == "ann")
      try await run(world) { await voice.leave() }
    }

    @Test("R26 without start_voice a session is held in writing, and attach says so")
    func inWriting() async throws {
      let world = try SimulatedWorld(seed: 2)
      let session = try await written(world)
      #expect(session.session.callID == "" && session.session.modality == .text)
      do {
        _ = try await run(world) {
          _ = try await VoiceSession.attach(agents: world.agents, sessionID: session.id)
        }
        Issue.record("R65: a session in writing was attached")
      } catch AgentsError.http(let failure) {
        #expect(failure.status == 409 && failure.code == "voice_off", "R65")
      }
    }

    @Test("R58 R60 R61 R62 R65 R99 starting and stopping voice, as the seed writes it")
    func seedSample() async throws {
      let world = try SimulatedWorld(seed: 3)
      let session = try await written(world)
      try await run(world) { try await SeedSamples.voice(agents: world.agents, session: session) }
      #expect(!world.isDeviceOpen)
      #expect(session.session.callID == "" && session.session.modality == .voice, "R109")
      let record = try #require(try world.storedSession(session.id))
      #expect(record.state == .live && !record.isVoiceOn, "it goes on in writing")
      let events = session.events()
      try await run(world) {
        try await session.responses.create("Who wrote Hamlet?")
        for await event in events where event.kind == .responded { break }
      }
    }

    @Test("R64 R90 R92 the voice screen, as the seed writes it, shows what the agent does")
    func seedScreen() async throws {
      var settings = WorldSettings()
      settings.configure = { configuration in
        var agent = configuration.agents[0]
        agent.name = "my-agent"
        configuration.agents.append(agent)
      }
      let world = try SimulatedWorld(seed: 4, settings)
      let started = try await run(world) { try await VoiceScreen(agents: world.agents).start() }
      let voice = started.voice
      #expect(voice.session.isConnected)
      try await run(world) { await voice.join() }
      let status = VoiceStatus(voice: voice, call: try #require(voice.call).state)
      var states: [AIVoiceAgentState] = []
      func look() -> Bool {
        let state = AIVoiceAgentState.of(voice: voice)
        #expect(state == status.state, "the seed's own priority (R95)")
        if state != states.last { states.append(state) }
        return states.count > 2 && state == .idle
      }
      world.ask()
      try await wait(world, "the end of the turn") { look() }
      #expect(states == [.idle, .listening, .thinking, .speaking, .idle], "R78 R79 R80 R81 R82")
      try await wait(world, "the transcript") {
        started.chat.messages.last?.extraData["generating"] == false
      }
      #expect(
        started.chat.messages.map(\.text) == [
          "What is the capital of France?", "The capital of France is Paris.",
        ], "R76 R89")
      #expect(started.chat.messages.last?.extraData["spoken"] == true, "R97")
      try await run(world) { await voice.leave() }
      #expect(AIVoiceAgentState.of(voice: voice) == .idle, "R81")
    }

    @Test("R83 R84 R87 R88 R101 R159 what events say of a spoken turn, and when")
    func events() async throws {
      let world = try SimulatedWorld(seed: 5)
      let (voice, utterances) = try world.converse(questions: 1)
      let heard = try #require(voice.events(.heard).first)
      #expect(heard.text == "What is the capital of France?")
      #expect(heard.participant?.userID == "ann")
      let order = voice.events.compactMap(\.kind)
      let places = [AgentEvent.Kind.heard, .responding, .responded, .heardOut, .turn].map { kind in
        order.firstIndex(of: kind) ?? -1
      }
      #expect(
        places == places.sorted() && places[0] >= 0, "responded is not the end of speech (R84)")
      let spoke = try #require(order.firstIndex(of: .spoke))
      #expect(spoke < places[3], "sent, not heard (R83)")
      #expect((voice.events(.spoke).first?.fields["time_to_first_byte_ms"]?.doubleValue ?? 0) > 0)
      let fields = try #require(voice.events(.turn).first).fields
      for name in [
        "endpoint_ms", "stt_final_ms", "llm_ttft_ms", "time_to_first_byte_ms", "v2v_ms",
        "stt_latency_ms", "tts_ttfb_ms", "roundtrip_ms", "speech_end_to_audio_ms",
      ] {
        #expect((fields[name]?.doubleValue ?? -1) > 0, "\(name)")
      }
      #expect(
        world.ear.firstHeard(after: utterances[0].lastVoiced) != nil, "no view was needed (R88)")
    }

    @Test("R48 close makes the agent leave the call, and the device with it")
    func close() async throws {
      let world = try SimulatedWorld(seed: 6)
      let voice = try await run(world) { try await VoiceSession.start(agents: world.agents) }
      try await run(world) { await voice.join() }
      try await run(world) { await voice.session.close() }
      try await wait(world, "leaving", limit: 2_000) { voice.call == nil }
      #expect(!world.isDeviceOpen)
      #expect(try #require(try world.storedSession(voice.session.id)).isVoiceOn == false)
      #expect(voice.session.state == .ended)
    }

    @Test("R98 R149 interrupt cuts what the speaker plays, and only what was heard is kept")
    func interrupt() async throws {
      let world = try SimulatedWorld(seed: 7)
      let voice = try await run(world) { try await VoiceSession.start(agents: world.agents) }
      try await run(world) { await voice.join() }
      let question = world.ask()
      try world.run(until: "the reply") { world.ear.firstHeard(after: question.lastVoiced) != nil }
      world.run(for: .milliseconds(700))
      try await run(world) { try await voice.session.interrupt() }
      world.run(for: .milliseconds(300))
      let silence = world.frame
      world.run(for: .seconds(3))
      #expect(world.ear.firstHeard(after: silence) == nil)
      let turn = try #require(try world.storedTurns(of: voice.session.id).last)
      #expect(turn.isInterrupted && "The capital of France is Paris.".hasPrefix(turn.answer))
      #expect(turn.answer.count < "The capital of France is Paris.".count)
      try await run(world) { await voice.leave() }
    }

    @Test("R93 with voice on a second typed turn is refused until the first was heard")
    func typedOnACall() async throws {
      let world = try SimulatedWorld(seed: 8)
      let voice = try await run(world) { try await VoiceSession.start(agents: world.agents) }
      try await run(world) { await voice.join() }
      let events = voice.session.events()
      _ = try await run(world) { try await voice.session.responses.create("Who wrote Hamlet?") }
      let refused = try await run(world) { () -> HTTPFailure? in
        await failure { try await voice.session.responses.create("And Faust?") }
      }
      #expect(refused?.status == 409 && refused?.code == "response_in_progress")
      try await run(world) {
        for await event in events where event.kind == .heardOut { break }
        try await voice.session.responses.create("And Faust?")
      }
      try await run(world) { await voice.leave() }
    }

    @Test("R143 a fork of a voice session is held in writing until voice is started on it")
    func forkInWriting() async throws {
      let world = try SimulatedWorld(seed: 9)
      let (voice, _) = try world.converse(questions: 1)
      let fork = try await run(world) { try await world.agents.sessions.fork(voice.sessionID) }
      #expect(fork.callID == "" && fork.modality == .text && fork.forkedFrom == voice.sessionID)
      #expect(
        try #require(try world.storedSession(voice.sessionID)).isVoiceOn, "the parent talks on")
      let carried = try await run(world) {
        try await world.agents.sessions.responses(fork.id).list().items.map(\.said)
      }
      #expect(carried == ["What is the capital of France?"])
      let attached = try await run(world) { () -> AgentSession in
        let session = try await world.agents.attach(sessionID: fork.id)
        await session.start()
        try await session.startVoice()
        return session
      }
      #expect(attached.session.callID == fork.id)
    }

    @Test("R58 R63 starting voice twice and stopping it in writing change nothing")
    func twice() async throws {
      let world = try SimulatedWorld(seed: 10)
      let session = try await written(world)
      try await run(world) {
        try await session.stopVoice()
        #expect(session.session.callID == "")
        try await session.startVoice()
        try await session.startVoice()
        #expect(session.session.callID == session.id)
        await session.close()
        // An ended session is carried on under the same id.
        try await session.startVoice()
        #expect(session.session.callID == session.id && session.session.state == .live)
      }
    }

    @Test(
      "R67 R68 R102 join never throws: a missing microphone is in failure, a missing camera too")
    func failures() async throws {
      let world = try SimulatedWorld(seed: 11)
      let voice = try await run(world) { try await VoiceSession.start(agents: world.agents) }
      try await run(world) { await voice.join(camera: true) }
      #expect(voice.call != nil, "the sound joins without the camera")
      #expect(voice.failure.map { "\($0)".contains("camera") } == true && !voice.isCameraEnabled)
      let other = try await run(world) {
        try await VoiceSession.attach(agents: world.observers, sessionID: voice.session.id)
      }
      try await run(world) { await other.join() }
      #expect(other.call == nil)
      #expect(other.failure.map { "\($0)".contains("device") } == true)
      try await run(world) { await voice.leave() }
    }

    @Test("R37 on a call sts switches to speech-to-speech from the next turn on, an empty sts back")
    func speechToSpeech() async throws {
      let world = try SimulatedWorld(seed: 18)
      let (voice, _) = try world.converse(questions: 1)
      for (sts, mode, asked) in [
        ("scripted-sts", "native", world.native), ("", "cascade", world.model),
      ] {
        let before = asked.prompts.count
        let changed = try await run(world) {
          try await world.backend.sessions.update(voice.sessionID, SessionChanges(sts: sts))
        }
        #expect((changed.sts ?? "") == sts)
        let record = try #require(try world.storedSession(voice.sessionID))
        #expect((record.settings.models.sts == nil) == (mode == "cascade") && record.isVoiceOn)
        let question = world.ask()
        let turns = voice.events(.turn).count
        try world.run(until: "the answer") { voice.events(.turn).count > turns }
        #expect(world.ear.firstHeard(after: question.lastVoiced) != nil)
        #expect(asked.prompts.count == before + 1, "the other model answered in \(mode)")
        #expect(
          asked.prompts.last?.messages.contains { $0.content == "What is the capital of France?" }
            == true, "the history went along")
      }
    }

    @Test("R69 muted nothing is heard, unmuted it is again, and everybody sees which")
    func mute() async throws {
      let world = try SimulatedWorld(seed: 17)
      let voice = try await run(world) { try await VoiceSession.start(agents: world.agents) }
      try await run(world) { await voice.join() }
      let call = try #require(voice.call)
      let observer = try world.observe(voice.session.id)
      for _ in 1...2 {
        let before = world.model.prompts.count
        try await run(world) { await voice.setMuted(true) }
        #expect(voice.isMuted)
        try await wait(world, "the mute shown") { call.state.localParticipant?.isMuted == true }
        world.ask()
        world.run(for: .seconds(5))
        #expect(observer.events(.hearing).isEmpty || before > 0)
        #expect(world.model.prompts.count == before, "something was heard while muted")
        try await run(world) { await voice.setMuted(false) }
        #expect(!voice.isMuted)
        try await wait(world, "the mute gone") { call.state.localParticipant?.isMuted == false }
        let question = world.ask()
        try await wait(world, "the answer after unmuting") {
          world.ear.firstHeard(after: question.lastVoiced) != nil
        }
        #expect(world.model.prompts.count > before)
        try world.run(until: "the end of the turn") {
          observer.events(.turn).count == before + 1
        }
      }
      // There is no camera: said, and the call goes on.
      try await run(world) { await voice.setCameraEnabled(true) }
      #expect(voice.failure.map { "\($0)".contains("camera") } == true && voice.call != nil)
      try await run(world) { await voice.leave() }
    }

    @Test("R82 what somebody else says was played is not believed")
    func playedByAnother() throws {
      let world = try SimulatedWorld(seed: 13)
      let voice = try world.joined()
      let observer = try world.observe(voice.sessionID)
      let question = world.ask()
      try world.run(until: "the reply") { world.ear.firstHeard(after: question.lastVoiced) != nil }
      for _ in 1...5 {
        try observer.send(
          Frame(
            .callPlayed, ["generation": 1, "played_ms": 60_000, "finished": true]))
        try observer.send(
          Frame(.callBargein, ["generation": 1, "played_ms": 60_000, "confirmed": true]))
        world.run(for: .milliseconds(50))
      }
      #expect(voice.events(.heardOut).isEmpty && voice.events(.interrupted).isEmpty)
      try world.run(until: "the end") { voice.events(.turn).count == 1 }
      #expect(voice.events(.heardOut).count == 1)
    }

    @Test("R66 speech that is due while the device's media are away is heard when they come back")
    func heldSpeech() throws {
      let world = try SimulatedWorld(seed: 16)
      let voice = try world.joined()
      let question = world.ask()
      try world.run(until: "an answer") { !voice.events(.responding).isEmpty }
      try world.run("breaking") { [network = world.network] in
        await network.setConditions(LinkConditions(state: .down), of: .media)
      }
      world.run(for: .seconds(1))
      #expect(world.ear.firstHeard(after: question.lastVoiced) == nil)
      try world.run("mending") { [network = world.network] in
        await network.setConditions(LinkConditions(), of: .media)
      }
      try world.run(until: "the end of the turn") { voice.events(.turn).count == 1 }
      let spoken = voice.events(.spoke).compactMap { $0.fields["audio_duration_ms"]?.intValue }
      let heard = world.ear.stretches.filter { $0.first > question.lastVoiced }
        .reduce(0.0) { $0 + $1.milliseconds }
      #expect(heard > Double(spoken.reduce(0, +)) - 300, "the beginning was lost")
    }

    @Test("R81 voice that was stopped while a device was away stays stopped")
    func stoppedWhileAway() async throws {
      let world = try SimulatedWorld(seed: 15)
      let voice = try world.joined()
      let down = LinkConditions(state: .down)
      try world.run("breaking") { [network = world.network] in
        await network.setConditions(down, of: .events)
        await network.setConditions(down, of: .media)
      }
      _ = try await run(world) {
        try await world.backend.sessions.get(voice.sessionID)
      }
      try await run(world) {
        let session = try await world.backend.attach(sessionID: voice.sessionID)
        try await session.stopVoice()
      }
      world.run(for: .seconds(3))
      try world.run("mending") { [network = world.network] in
        await network.setConditions(LinkConditions(), of: .events)
        await network.setConditions(LinkConditions(), of: .media)
      }
      world.run(for: .seconds(20))
      #expect(try #require(try world.storedSession(voice.sessionID)).isVoiceOn == false)
      #expect(!world.isDeviceOpen)
    }
  }
}
