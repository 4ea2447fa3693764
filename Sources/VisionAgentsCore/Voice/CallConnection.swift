import CallTransport
import Networking
import SessionsModel
import VoiceEngine

/// This device on one session's call: joins it, keeps it, and carries the sound both ways.
///
/// ``CallStateMachine`` decides, this actor carries out. Signalling goes over the session's events
/// socket, sound over the media WebSocket; neither ever makes the other wait.
actor CallConnection {
  /// How long the router may take to answer `call.join`.
  static let answerPatience = Duration.seconds(10)
  /// Signalling frames waiting to be sent; beyond it the oldest progress report goes.
  static let signalBound = 64

  nonisolated let session: SessionConnection
  nonisolated let environment: VisionAgents.Environment
  /// Snapshots for the mirror; only the newest counts.
  nonisolated let snapshots: AsyncStream<CallSnapshot>
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    environment.runtime.executor.asUnownedSerialExecutor()
  }

  nonisolated var runtime: any Runtime { environment.runtime }

  private let mirror: AsyncStream<CallSnapshot>.Continuation
  private let agent: CallParticipant
  private let user: User?
  private let deviceID: String
  var machine = CallStateMachine()
  var snapshot = CallSnapshot()
  private var waiters = SocketWaiters()
  var isMuted: Bool
  /// The user said, in this process, whether the microphone is muted.
  var isMuteChosen: Bool
  var isKeepingMute = false
  /// The router was told that the microphone is muted, and keeps that through a break.
  var toldMuted = false

  /// The user wants to be on the call. What a join began before a `leave()` stops where it is, so
  /// that no microphone stays open behind the user's back.
  private(set) var isWanted = false

  // The device.
  var device: (any VoiceDevice)?
  var wake: ScheduledAction?
  var cards: ScheduledAction?
  var recovery = DeviceRecovery()
  /// The word after which the device listens; nil listens always.
  nonisolated let wakeWord: WakeWord?
  var listening: WakeWordListening?
  /// The newest report per call, repeated when the socket came back without it.
  private var lastPlayed: PlayoutProgress?

  // The media.
  private var media: (any CallTransport)?
  private var mediaNumber = 0
  private var joinNumber = 0
  private var generations = GenerationMap()

  // What waits to be sent, in order, by one pump each.
  private var packets: [MediaFrame] = []
  private var isSendingPackets = false
  private var signals: [Frame] = []
  private var isSignalling = false

  init(
    session: SessionConnection, environment: VisionAgents.Environment, record: Session,
    user: User?, deviceID: String, isMuted: Bool, wakeWord: WakeWord? = nil
  ) {
    self.session = session
    self.environment = environment
    self.user = user
    self.deviceID = deviceID
    self.isMuted = isMuted
    self.wakeWord = wakeWord
    isMuteChosen = isMuted
    let name = record.agent.isEmpty ? record.agentID : record.agent
    agent = CallParticipant(id: "agent", userID: record.agentID, name: name)
    (snapshots, mirror) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  // MARK: For VoiceSession

  /// Opens the device and joins; returns once joined, or when it failed (see the snapshot).
  func join() async -> CallSnapshot {
    guard machine.phase == .idle || machine.phase == .left else { return snapshot }
    isWanted = true
    snapshot.failure = nil
    snapshot.phase = .joining
    publish()
    do {
      try await startListeningForWord()
      try await openDevice()
    } catch {
      if isWanted { snapshot.failure = error }
      await enter(.left)
      return snapshot
    }
    await session.setSignal { [weak self] signal in await self?.take(signal) }
    guard isWanted else {
      await enter(.left)
      return snapshot
    }
    await handle(.join)
    if machine.phase == .joining {
      let id = waiters.nextID()
      _ = await withCheckedContinuation { waiters.add(id, .open, $0) }
    }
    return snapshot
  }

  func leave() async -> CallSnapshot {
    isWanted = false
    await handle(.leave)
    return snapshot
  }

  /// Nobody mirrors this any more.
  nonisolated func abandon() {
    mirror.finish()
    runtime.task { _ = await self.leave() }
  }

  // MARK: The machine's driver

  private func handle(_ event: CallStateMachine.Event) async {
    for action in machine.handle(event) {
      switch action {
      case .announceJoin: announceJoin()
      case .openMedia(let path): openMedia(path)
      case .closeMedia: closeMedia()
      case .pause(let duration): pause(duration)
      case .askForVoice: askForVoice()
      case .announceLeave: signal(CallFrames.leave)
      case .enter(let phase): await enter(phase)
      case .fail(let failure): snapshot.failure = failure
      }
    }
  }

  private func announceJoin() {
    joinNumber += 1
    let number = joinNumber
    signal(CallFrames.join(deviceID: deviceID, camera: false))
    runtime.after(Self.answerPatience) {
      self.runtime.task { await self.answerOverdue(number) }
    }
  }

  private func answerOverdue(_ number: Int) async {
    guard number == joinNumber, media == nil, machine.phase != .joined else { return }
    await handle(.answerOverdue(chance: runtime.randomUInt64()))
  }

  /// The router was restarted: the person is still on the call, so the agent comes back to it.
  private func askForVoice() {
    runtime.task {
      do {
        _ = try await self.session.client.rest.send(
          .post, SessionPaths.session(self.session.id, "voice"), mayRepeat: true)
        await self.handle(.voiceStarted)
      } catch {
        await self.handle(.voiceLost(chance: self.runtime.randomUInt64()))
      }
    }
  }

  private func pause(_ duration: Duration) {
    runtime.after(duration) {
      self.runtime.task { await self.handle(.pauseOver) }
    }
  }

  private func enter(_ phase: CallStateMachine.Phase) async {
    snapshot.phase = phase
    switch phase {
    case .joined:
      if isMuted || toldMuted { tellMuted() }
      sendStatus()
      repeatPlayed()
      waiters.opened()
    case .left:
      isWanted = false
      await session.setSignal(nil)
      await closeDevice()
      await stopListeningForWord()
      snapshot.roster = CallRoster()
      waiters.ended()
    case .idle, .joining, .reconnecting:
      break
    }
    publish()
  }

  // MARK: Signalling

  private func take(_ signal: CallSignal) async {
    switch signal {
    case .connected(true):
      await handle(.signallingResumed)
      if machine.phase == .joined { repeatPlayed() }
    case .connected(false): await handle(.signallingLost)
    case .restarted: await handle(.routerRestarted)
    case .ended: await handle(.ended(reason: "session_ended"))
    case .frame(let frame): await take(frame)
    }
  }

  private func take(_ frame: Frame) async {
    switch frame.type {
    case .callJoined:
      guard let path = frame["media_url"]?.stringValue else { return }
      let newest = frame["generation"]?.intValue.flatMap(UInt32.init(exactly:)) ?? 0
      generations.joined(newest: newest)
      snapshot.roster.joined(frame, agent: agent, user: user)
      snapshot.roster.localMuted(isMuted)
      publish()
      // Joined already: the events socket came back, and what we said meanwhile is lost.
      if machine.phase == .joined {
        tellMuted()
        sendStatus()
      }
      await handle(.answered(media: path))
    case .callFlush:
      guard let generation = frame["generation"]?.intValue.flatMap(UInt32.init(exactly:)) else {
        return
      }
      device?.flush(below: generations.onDevice(generation))
    case .callResume: device?.release()
    case .callEnded:
      await handle(.ended(reason: frame["reason"]?.stringValue ?? "ended"))
    // Of one that was restarted we hear it while our media still seem to flow.
    case .callError where machine.phase != .joined || frame["code"] == "voice_off":
      let message = frame["message"]?.stringValue ?? "no reason was given"
      await handle(.refused(code: frame["code"]?.stringValue ?? "error", message: message))
    case .callParticipantJoined, .callParticipantLeft, .callParticipantUpdated:
      snapshot.roster.changed(frame)
      publish()
    case .callLevels:
      snapshot.roster.levels(frame)
      publish()
    default: break
    }
  }

  func sendStatus() {
    signal(CallFrames.status(echo: snapshot.echo, isMuted: isMuted))
  }

  /// Queues a frame for the events socket; one pump keeps the order.
  func signal(_ frame: Frame) {
    signals.append(frame)
    if signals.count > Self.signalBound {
      signals.remove(at: signals.firstIndex { $0.type == .callPlayed } ?? 0)
    }
    guard !isSignalling else { return }
    isSignalling = true
    runtime.task { await self.pumpSignals() }
  }

  private func pumpSignals() async {
    while !signals.isEmpty {
      // A frame that finds no socket is lost: joining and progress are repeated on its return.
      _ = await session.trySend(signals.removeFirst())
    }
    isSignalling = false
  }

  func reportPlayed(_ progress: PlayoutProgress) {
    lastPlayed = progress
    guard machine.phase == .joined else { return }
    repeatPlayed()
  }

  /// Tells the router that the person speaks over the agent. One that is over needs no word: the
  /// reports of what is heard go on.
  func reportBargeIn(_ what: BargeIn, _ progress: PlayoutProgress) {
    lastPlayed = progress
    guard what != .over, machine.phase == .joined,
      let generation = generations.onWire(progress.generation)
    else { return }
    var progress = progress
    progress.generation = generation
    signal(CallFrames.bargeIn(progress, isConfirmed: what == .confirmed))
  }

  /// Says how much was heard, in the router's numbers.
  private func repeatPlayed() {
    guard let lastPlayed, let generation = generations.onWire(lastPlayed.generation) else { return }
    var progress = lastPlayed
    progress.generation = generation
    signal(CallFrames.played(progress))
  }

  // MARK: Media

  private func openMedia(_ path: String) {
    mediaNumber += 1
    let number = mediaNumber
    let parts = MediaPath(path)
    runtime.task { await self.runMedia(number, parts) }
  }

  private func runMedia(_ number: Int, _ path: MediaPath) async {
    do {
      let socket = try await session.client.rest.openWebSocket(path.path, query: path.query)
      guard number == mediaNumber else {
        await socket.close(code: 1000, reason: "")
        return
      }
      let transport = WebSocketCallTransport(socket, runtime: runtime)
      media = transport
      await handle(.mediaOpened)
      await receive(transport, number)
    } catch {
      guard number == mediaNumber else { return }
      await handle(.mediaLost(chance: runtime.randomUInt64()))
    }
  }

  private func receive(_ transport: any CallTransport, _ number: Int) async {
    while let event = await transport.receive(), number == mediaNumber {
      switch event {
      case .frame(let frame):
        var packet = SpeechPacket(frame)
        packet.generation = generations.onDevice(frame.generation)
        _ = device?.receive(packet)  // The device drops and counts what was flushed or is too much.
      case .closed:
        media = nil
        await handle(.mediaLost(chance: runtime.randomUInt64()))
        return
      }
    }
  }

  private func closeMedia() {
    mediaNumber += 1
    packets = []
    guard let media else { return }
    self.media = nil
    runtime.task { await media.close(code: 1000, reason: "") }
  }

  /// Queues the microphone's packets; one pump keeps the order, the transport holds the bound.
  func sendPackets(_ frames: [MediaFrame]) {
    guard media != nil, machine.phase == .joined else { return }
    packets += frames
    guard !isSendingPackets else { return }
    isSendingPackets = true
    runtime.task { await self.pumpPackets() }
  }

  private func pumpPackets() async {
    while let media, !packets.isEmpty {
      let batch = packets
      packets = []
      await media.send(batch)
    }
    isSendingPackets = false
  }

  func publish() {
    snapshot.version += 1
    mirror.yield(snapshot)
  }

  /// Tells the router how the sound runs, after the device changed.
  func deviceChanged() {
    device?.setMuted(isMuted)
    if machine.phase == .joined { sendStatus() }
  }

  /// The highest generation that came, as the device counts.
  var newestOnDevice: UInt32 { generations.highest }
}
