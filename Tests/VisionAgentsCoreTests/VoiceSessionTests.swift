import CallTransport
import Networking
import SessionsModel
import Synchronization
import Testing
import VoiceEngine

@testable import VisionAgentsCore

@MainActor
struct VoiceSessionTests {
  private let world = ScriptedWorld { request in
    request.method == .get || request.path == "/v1/agents/sessions"
      ? .json(200, RouterAnswers.session(callID: "s1")) : HTTPResponse(status: 204)
  }

  /// R61, R64, R66, R77.
  @Test func joiningCarriesSoundBothWays() async throws {
    let voice = try await VoiceSession.start(agents: world.agents, agent: "myagent")
    #expect(
      world.router.requests.last.map { String(decoding: $0.body, as: UTF8.self) }?
        .contains("\"start_voice\":true") == true)
    #expect(AIVoiceAgentState.of(voice: voice) == .connecting)
    #expect(voice.call == nil)
    let (events, media) = await join(voice)
    #expect(media.request.path == "/v1/calls/agent/s1/media")
    #expect(media.query("token") == "once")
    #expect(voice.failure == nil)
    #expect(voice.call?.cid == "agent:s1")
    #expect(voice.call?.state.echo == .halfDuplex)
    #expect(AIVoiceAgentState.of(voice: voice) == .idle)
    #expect(await events.received("call.status")?["echo"] == "half_duplex")

    let packet = SpeechPacket(
      generation: 0, sequence: 1, timestamp: 960, participant: 0, kind: .opus, payload: [1, 2])
    world.device.happen(.packet(packet))
    let sent = try #require(await media.receivedBytes())
    #expect(try SpeechPacket(MediaFrame(decoding: sent)) == packet)

    let speech = MediaFrame(
      kind: .opus, generation: 1, sequence: 1, timestamp: 0, payload: [3, 4])
    media.send(try speech.encoded())
    await until { world.device.received == [SpeechPacket(speech)] }
  }

  /// R78, R79, R80, R82, R95.
  @Test func theAgentSpeaksWhileTheDeviceIsHeard() async throws {
    let voice = try await VoiceSession.attach(agents: world.agents, sessionID: "s1")
    let (events, _) = await join(voice)
    events.send(["type": "responding", "seq": 2, "turn_id": "t1"])
    await until { AIVoiceAgentState.of(voice: voice) == .thinking }
    world.device.happen(.speaking(true, atTimestamp: 1))
    await until { AIVoiceAgentState.of(voice: voice) == .speaking }
    world.device.happen(.speaking(false, atTimestamp: 2))
    await until { AIVoiceAgentState.of(voice: voice) == .thinking }
    world.device.happen(.localSpeech(true, atTimestamp: 3))
    await until { AIVoiceAgentState.of(voice: voice) == .listening }
    world.device.happen(.levels(microphone: 0.5, speaker: 0.25))
    await until { voice.call?.state.localParticipant?.audioLevel == 0.5 }
    #expect(voice.call?.state.remoteParticipants.first?.audioLevel == 0.25)
  }

  /// What the device shows of its canceller reaches the user interface and the router.
  @Test func whoMaySpeakOverTheAgentIsTold() async throws {
    let voice = try await VoiceSession.attach(agents: world.agents, sessionID: "s1")
    let (events, _) = await join(voice)
    #expect(await events.received("call.status")?["echo"] == "half_duplex")
    world.device.happen(.duplex(isFull: true))
    await until { voice.call?.state.echo == .cancelling }
    #expect(await events.received("call.status")?["echo"] == "cancelling")
    world.device.happen(.duplex(isFull: false))
    await until { voice.call?.state.echo == .halfDuplex }
    #expect(await events.received("call.status")?["echo"] == "half_duplex")
  }

  @Test func whatWasHeardIsReportedOnTheDevicesAxis() async throws {
    let voice = try await VoiceSession.attach(agents: world.agents, sessionID: "s1")
    let (events, _) = await join(voice)
    world.device.happen(
      .played(
        PlayoutProgress(
          generation: 3, playedFrames: 9600, startedAt: 4_000_000_000, isFinished: false,
          isFlushed: false)),
      .played(
        PlayoutProgress(
          generation: 3, playedFrames: 48_000, startedAt: 4_000_000_000, isFinished: true,
          isFlushed: false)))
    #expect(
      await events.received("call.played") == [
        "type": "call.played", "generation": 3, "played_ms": 200, "started_at": 4_000_000_000,
        "finished": false, "estimated": false,
      ])
    #expect(await events.received("call.played")?["finished"] == true)
    _ = voice
  }

  @Test func aFlushCutsAtTheDevice() async throws {
    let voice = try await VoiceSession.attach(agents: world.agents, sessionID: "s1")
    let (events, _) = await join(voice)
    events.send(["type": "call.flush", "seq": 2, "generation": 2])
    await until { world.device.flushes == [2] }
    _ = voice
  }

  @Test func speechOfARestartedRouterIsHeardThoughItCountsAnew() async throws {
    let voice = try await VoiceSession.attach(agents: world.agents, sessionID: "s1")
    let (events, media) = await join(voice)
    events.send(["type": "call.flush", "seq": 2, "generation": 5])
    await until { world.device.flushes == [5] }
    media.hangUp(code: 1006)
    #expect(await events.received("call.join") != nil)
    events.send(answer)
    let again = await world.router.nextSocket()
    let speech = MediaFrame(kind: .opus, generation: 1, sequence: 1, timestamp: 0, payload: [2])
    again.send(try speech.encoded())
    await until { world.device.received.first?.generation == 6 }
    world.device.happen(
      .played(
        PlayoutProgress(
          generation: 6, playedFrames: 960, startedAt: 1, isFinished: true, isFlushed: false)))
    #expect(await events.received("call.played")?["generation"] == 1)
    _ = voice
  }

  /// R69: mute holds across a break of the media.
  @Test func mutedStaysMutedWhenTheCallComesBack() async throws {
    let voice = try await VoiceSession.attach(agents: world.agents, sessionID: "s1")
    let (events, media) = await join(voice)
    await voice.setMuted(true)
    #expect(world.device.isMuted && voice.isMuted)
    #expect(await events.received("call.mute")?["audio"] == true)
    #expect(voice.call?.state.localParticipant?.isMuted == true || voice.isMuted)
    media.hangUp(code: 1006)
    await until { AIVoiceAgentState.of(voice: voice) == .connecting }
    #expect(voice.call != nil, "the call is kept while it comes back")
    #expect(await events.received("call.join") != nil)
    events.send(answer)
    _ = await world.router.nextSocket()
    #expect(await events.received("call.mute")?["audio"] == true)
    await until { AIVoiceAgentState.of(voice: voice) == .idle }
    #expect(world.device.isMuted)
  }

  /// R69: the router keeps a mute through the break, so it has to hear of its end.
  @Test func unmutingWhileTheCallIsAwayIsSaidWhenItComesBack() async throws {
    let voice = try await VoiceSession.attach(agents: world.agents, sessionID: "s1")
    let (events, media) = await join(voice)
    await voice.setMuted(true)
    #expect(await events.received("call.mute")?["audio"] == true)
    media.hangUp(code: 1006)
    await until { AIVoiceAgentState.of(voice: voice) == .connecting }
    await voice.setMuted(false)
    #expect(await events.received("call.join") != nil)
    events.send(answer)
    _ = await world.router.nextSocket()
    await until { AIVoiceAgentState.of(voice: voice) == .idle }
    await voice.setMuted(true)
    #expect(await events.received("call.mute")?["audio"] == false, "said once back")
    #expect(await events.received("call.mute")?["audio"] == true)
  }

  /// R62, R81, R94, R70.
  @Test func leavingEndsOnlyWhatStartOpened() async throws {
    let attached = try await VoiceSession.attach(agents: world.agents, sessionID: "s1")
    let (events, _) = await join(attached)
    await attached.leave()
    #expect(await events.received("call.leave") != nil)
    #expect(attached.call == nil)
    #expect(world.device.isStopped)
    #expect(AIVoiceAgentState.of(voice: attached) == .idle)
    #expect(!world.router.requests.contains { $0.path.hasSuffix("/stop") })

    let started = try await VoiceSession.start(agents: world.agents)
    await started.leave()
    #expect(world.router.requests.last?.path == "/v1/agents/sessions/s1/stop")
  }

  /// R81: a microphone that opens late must not stay open behind the user's back.
  @Test func leavingWhileTheMicrophoneOpensClosesIt() async throws {
    let opening = Mailbox<Void>()
    let opened = Mailbox<Void>()
    let closed = Mailbox<Void>()
    let device = world.device
    let environment = VisionAgents.Environment(
      runtime: world.environment.runtime, transport: world.router,
      openDevice: {
        opening.put(())
        _ = await opened.next()
        return device
      },
      closeDevice: {
        $0.stop()
        closed.put(())
      })
    let agents = VisionAgents(apiKey: "key", environment: environment)
    agents.setUser(User(id: "jlahey"), token: "token-1")
    let voice = try await VoiceSession.attach(agents: agents, sessionID: "s1")
    async let joined: Void = voice.join()
    let events = await world.router.nextSocket()
    events.send(RouterAnswers.snapshot())
    _ = await opening.next()
    await voice.leave()
    opened.end()
    await joined
    #expect(device.isStopped)
    #expect(voice.call == nil && voice.failure == nil)
    #expect(AIVoiceAgentState.of(voice: voice) == .idle)
  }

  /// R71.
  @Test func endAlwaysEndsTheSession() async throws {
    let voice = try await VoiceSession.attach(agents: world.agents, sessionID: "s1")
    await voice.end()
    #expect(world.router.requests.last?.path == "/v1/agents/sessions/s1/stop")
  }

  /// R65.
  @Test func aSessionInWritingCannotBeAttached() async throws {
    let world = ScriptedWorld()
    do {
      _ = try await VoiceSession.attach(agents: world.agents, sessionID: "s1")
      Issue.record("it was attached")
    } catch AgentsError.http(let failure) {
      #expect(failure.status == 409 && failure.code == "voice_off")
    }
  }

  /// R67, R102.
  @Test func joiningWithoutAMicrophoneIsAFailureAndNoThrow() async throws {
    let world = ScriptedWorld(
      answer: { _ in .json(200, RouterAnswers.session(callID: "s1")) },
      deviceError: AudioError(code: .noDevice, message: "There is no microphone; plug one in."))
    let voice = try await VoiceSession.attach(agents: world.agents, sessionID: "s1")
    async let joined: Void = voice.join()
    let events = await world.router.nextSocket()
    events.send(RouterAnswers.snapshot())
    await joined
    #expect(voice.failure.map { "\($0)" } == "There is no microphone; plug one in.")
    #expect(voice.call == nil)
    #expect(AIVoiceAgentState.of(voice: voice) == .idle)
  }

  /// R68.
  @Test func withoutACameraTheSoundJoinsAllTheSame() async throws {
    let voice = try await VoiceSession.attach(agents: world.agents, sessionID: "s1")
    _ = await join(voice, camera: true)
    #expect(voice.call != nil && !voice.isCameraEnabled)
    #expect(voice.failure.map { "\($0)" }?.contains("camera") == true)
  }

  @Test func aTakenOverCallSaysSoAndCanBeTakenBack() async throws {
    let voice = try await VoiceSession.attach(agents: world.agents, sessionID: "s1")
    let (events, _) = await join(voice)
    events.send(["type": "call.ended", "seq": 2, "reason": "taken_over"])
    await until { voice.call == nil }
    #expect(voice.failure as? CallFailure == .takenOver)
    #expect(AIVoiceAgentState.of(voice: voice) == .idle)
    async let again: Void = voice.join()
    #expect(await events.received("call.join") != nil)
    events.send(answer)
    _ = await world.router.nextSocket()
    await again
    #expect(voice.call != nil && voice.failure == nil)
  }

  /// R73, R74.
  @Test func aHandedOverClientOfAnotherUserIsAFailure() async throws {
    let voice = try await VoiceSession.attach(agents: world.agents, sessionID: "s1")
    world.agents.use(CallClient(user: User(id: "ricky"), environment: world.environment))
    await voice.join()
    #expect(voice.failure.map { "\($0)" }?.contains("ricky") == true)
  }

  @Test func aLostDeviceIsSaidAndOpenedAgain() async throws {
    let device = world.device
    let permits = Mailbox<Void>()
    let environment = VisionAgents.Environment(
      runtime: world.environment.runtime, transport: world.router,
      openDevice: { device },
      closeDevice: { $0.stop() },
      resumeDevice: { _ in _ = await permits.next() })
    let agents = VisionAgents(apiKey: "key", environment: environment)
    agents.setUser(User(id: "jlahey", name: "Jim"), token: "token-1")
    let voice = try await VoiceSession.attach(agents: agents, sessionID: "s1")
    _ = await join(voice)
    device.happen(.deviceLost("The card was unplugged."))
    await until { voice.failure.map { "\($0)" } == "The card was unplugged." }
    #expect(voice.call != nil)
    // Not before it was seen: the main actor may be busy for longer than the first attempt takes.
    permits.put(())
    await until { voice.failure == nil }
  }

  /// The same device is started again, as soon as a card is told of; nothing is opened anew.
  @Test func aLostDeviceIsStartedAgainWhenACardComes() async throws {
    let openings = Mutex(0)
    let attempts = Mailbox<Int>()
    let attempted = Mutex(0)
    let isBack = Mutex(false)
    let onChange = Mutex<(@Sendable () -> Void)?>(nil)
    let device = world.device
    let environment = VisionAgents.Environment(
      runtime: world.environment.runtime, transport: world.router,
      openDevice: {
        openings.withLock { $0 += 1 }
        return device
      },
      closeDevice: { $0.stop() },
      resumeDevice: { _ in
        attempts.put(
          attempted.withLock {
            $0 += 1
            return $0
          })
        guard isBack.withLock({ $0 }) else {
          throw AudioError(code: .noDevice, message: "It is not plugged in.")
        }
      },
      cardChanges: { change in
        onChange.withLock { $0 = change }
        return ScheduledAction { onChange.withLock { $0 = nil } }
      })
    let agents = VisionAgents(apiKey: "key", environment: environment)
    agents.setUser(User(id: "jlahey", name: "Jim"), token: "token-1")
    let voice = try await VoiceSession.attach(agents: agents, sessionID: "s1")
    _ = await join(voice)
    device.happen(.deviceLost("The card was unplugged."))
    await until { voice.call?.state.device == .lost(reason: "It is not plugged in.") }
    #expect(await attempts.next() == 1)
    isBack.withLock { $0 = true }
    let tell = try #require(onChange.withLock { $0 })
    world.environment.runtime.after(.zero) { tell() }
    await until { voice.call?.state.device == .present && voice.failure == nil }
    #expect(openings.withLock { $0 } == 1)
    await voice.leave()
    #expect(onChange.withLock { $0 } == nil, "nobody follows the cards any more")
  }

  /// Muted in an earlier run of the app: shown, told, and undone only by the user.
  @Test func aMuteOfAnEarlierStartHolds() async throws {
    world.device.setMuted(true)
    let voice = try await VoiceSession.attach(agents: world.agents, sessionID: "s1")
    let (events, _) = await join(voice)
    #expect(await events.received("call.mute")?["audio"] == true)
    await until { voice.isMuted }
    #expect(world.device.isMuted)
    await voice.setMuted(false)
    #expect(await events.received("call.mute")?["audio"] == false)
    #expect(!world.device.isMuted && !voice.isMuted)
  }

  private var answer: SessionsModel.JSONValue {
    [
      "type": "call.joined", "media_url": "/v1/calls/agent/s1/media?token=once",
      "participant_id": "p1", "generation": 0,
      "participants": [["id": "p1", "user_id": "jlahey", "name": "Jim"]],
    ]
  }

  /// Joins and plays the router's part of it.
  private func join(
    _ voice: VoiceSession, camera: Bool = false
  ) async -> (events: ScriptedSocket, media: ScriptedSocket) {
    async let joined: Void = voice.join(camera: camera)
    let events = await world.router.nextSocket()
    events.send(RouterAnswers.snapshot())
    let request = await events.received("call.join")
    #expect(request?["media"] == "websocket")
    events.send(answer)
    let media = await world.router.nextSocket()
    await joined
    return (events, media)
  }
}
