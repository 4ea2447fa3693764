import CallTransport
public import Observation
import SessionsModel

/// This device on a session's call: its microphone, its speaker, and what both say about the agent.
@MainActor @Observable
public final class VoiceSession {
  /// The conversation.
  public let session: AgentSession
  /// The call, once joined; nil before, and after leaving.
  public private(set) var call: Call?
  /// The microphone is muted. Kept when the call breaks and comes back, and where the environment
  /// keeps it, when the app starts anew.
  public private(set) var isMuted = false
  public private(set) var isCameraEnabled = false
  /// The word after which this device listens; nil listens always. Takes effect at the next join.
  public var wakeWord: WakeWord?
  /// Nothing of the microphone leaves the device until the wake word is said.
  public private(set) var isAsleep = false
  /// What is to be said to wake the device; empty without a wake word or before joining.
  public private(set) var wakePhrase = ""
  /// Why this device is not on the call, or what went wrong on it.
  public private(set) var failure: (any Error)?
  /// Where this device is on its way onto the call.
  private(set) var phase = CallStateMachine.Phase.idle

  /// `start` opened the session, so leaving ends it.
  private let ownsSession: Bool
  @ObservationIgnored private nonisolated let client: AgentsClient
  @ObservationIgnored private var connection: CallConnection?
  @ObservationIgnored private var version = -1
  /// The user muted or unmuted, or the mute of an earlier start is shown already.
  @ObservationIgnored private var isMuteKnown = false
  /// The failure shown is the call's, and goes when the call is well again.
  @ObservationIgnored private var callHadFailed = false

  private init(_ session: AgentSession, ownsSession: Bool) {
    self.session = session
    self.ownsSession = ownsSession
    client = session.client
  }

  isolated deinit {
    connection?.abandon()
  }

  /// Opens a session with voice on; the agent is on its call at once, before this device joins.
  ///
  /// - Parameter agent: nil for the router's default agent.
  public static func start(
    agents: VisionAgents, agent: String? = nil, tools: [AgentTool] = []
  ) async throws -> VoiceSession {
    var options = SessionOptions(agent: agent)
    options.startVoice = true
    options.tools = tools
    return VoiceSession(try await agents.sessions.create(options), ownsSession: true)
  }

  /// Takes a session whose voice is already on; leaving its call keeps it.
  ///
  /// - Throws: 409 `voice_off` when the session is held in writing; `startVoice()` it first.
  public static func attach(
    agents: VisionAgents, sessionID: String, tools: [AgentTool] = []
  ) async throws -> VoiceSession {
    let session = try await agents.attach(sessionID: sessionID, tools: tools)
    guard !session.session.callID.isEmpty else {
      throw AgentsError.http(
        HTTPFailure(
          status: 409,
          message: "The session \(sessionID) is held in writing; start its voice before joining.",
          type: "refused", code: "voice_off"))
    }
    return VoiceSession(session, ownsSession: false)
  }

  /// Turns the microphone on, joins the call and plays the agent on the speaker.
  ///
  /// It does not throw: when joining fails the reason is in ``failure``. Joined already it does
  /// nothing.
  ///
  /// - Parameter camera: turn the camera on too. This build has none: ``failure`` says so, and the
  ///   sound joins all the same.
  public func join(camera: Bool = false) async {
    guard connection == nil else { return }
    failure = nil
    phase = .joining
    let connection: CallConnection
    do {
      connection = try makeConnection()
    } catch {
      failure = error
      phase = .left
      return
    }
    self.connection = connection
    await session.start()
    guard self.connection === connection else { return }  // The user left meanwhile.
    if let failure = session.failure, !session.isConnected {
      self.connection = nil
      self.failure = failure
      phase = .left
      return
    }
    mirror(connection)
    apply(await connection.join(), of: connection)
    if camera, self.connection === connection { await setCameraEnabled(true) }
  }

  /// Mutes the microphone on this device: nothing of it is sent until it is unmuted.
  public func setMuted(_ muted: Bool) async {
    isMuted = muted
    isMuteKnown = true
    await connection?.setMuted(muted)
  }

  /// Lets a device that sleeps listen, as its wake word does: for a button.
  public func wake() async {
    await connection?.call()
  }

  /// Takes over what somebody did with the switch that keeps the mute; it is not written again.
  package func follow(muteSwitchIsOn isOn: Bool) async {
    guard isOn != isMuted else { return }
    isMuted = isOn
    isMuteKnown = true
    await connection?.setMuted(isOn, keeps: false)
  }

  /// The device's own clock in frames at 48 kHz; it moves while sound flows. nil without a device.
  package func deviceFrame() async -> UInt64? {
    await connection?.deviceFrame
  }

  /// Turns the camera on or off. This build has none: ``failure`` says so.
  public func setCameraEnabled(_ enabled: Bool) async {
    guard enabled else { return }
    failure = AgentsError.configuration(
      "This build has no camera; the call goes on with sound alone.")
  }

  /// Leaves the call, and ends the session if ``start(agents:agent:tools:)`` opened it.
  public func leave() async {
    await leaveCall()
    if ownsSession { await session.close() }
  }

  /// Leaves the call and ends the session, whoever opened it.
  public func end() async {
    await leaveCall()
    await session.close()
  }

  private func leaveCall() async {
    guard let connection else {
      phase = .left
      return
    }
    apply(await connection.leave(), of: connection)
    phase = .left
    call = nil
    self.connection = nil
  }

  private func makeConnection() throws -> CallConnection {
    var environment = client.environment
    if let shared = client.callClient {
      try client.check(shared.user, what: "CallClient")
      environment = shared.environment
    }
    return CallConnection(
      session: session.connection, environment: environment, record: session.session,
      user: client.credentials.identity.user, deviceID: client.deviceID, isMuted: isMuted,
      wakeWord: wakeWord)
  }

  private func mirror(_ connection: CallConnection) {
    version = -1
    let snapshots = connection.snapshots
    Task { @MainActor [weak self, weak connection] in
      for await snapshot in snapshots {
        guard let connection else { return }
        self?.apply(snapshot, of: connection)
      }
    }
  }

  private func apply(_ snapshot: CallSnapshot, of connection: CallConnection) {
    guard connection === self.connection, snapshot.version > version else { return }
    version = snapshot.version
    if snapshot.phase != phase { phase = snapshot.phase }
    if snapshot.isAsleep != isAsleep { isAsleep = snapshot.isAsleep }
    if snapshot.wakePhrase != wakePhrase { wakePhrase = snapshot.wakePhrase }
    if snapshot.hasFoundMute, !isMuteKnown {
      isMuteKnown = true
      isMuted = true
    }
    if let failure = snapshot.failure {
      self.failure = failure
    } else if callHadFailed {
      failure = nil
    }
    callHadFailed = snapshot.failure != nil
    switch snapshot.phase {
    case .idle, .joining: break
    case .joined, .reconnecting:
      if call == nil { call = Call(sessionID: session.id) }
      call?.state.apply(snapshot)
    case .left:
      call = nil
      self.connection = nil
    }
  }
}
