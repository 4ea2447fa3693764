import AgentRouter
import Foundation
import Networking
import Providers
import SessionsModel
public import Stores
import Synchronization
public import VisionAgentsCore
import VoiceEngine

/// The whole product in one process and one virtual time: the SDK on a simulated device, a network
/// in memory, the router with its media plane and store, scripted providers, and a person in a room.
///
/// Everything runs on one ``SimulatedRuntime``, so that one seed gives one journal, byte for byte.
/// Role: one thread, the one that calls `run`.
public final class SimulatedWorld: Sendable {
  public let seed: UInt64
  public let runtime: SimulatedRuntime
  public let journal = Journal()
  public let store: MemoryStore
  public let recogniser: ScriptedSpeechToText
  public let model: ScriptedLanguageModel
  /// Answers where a session is switched to the speech-to-speech model `scripted-sts`.
  public let native: ScriptedLanguageModel
  /// The model that hears and speaks itself, where the settings name one.
  public let nativeModel: ScriptedSpeechToSpeech?
  public let voiceOfAgent: ScriptedTextToSpeech
  public let network: SimulatedNetwork
  /// The word of a device that was started with one.
  public let wakeWord = ScriptedWakeWord()
  /// The SDK of the device.
  public let agents: VisionAgents
  /// The SDK of somebody who watches over a network of their own that never breaks.
  public let observers: VisionAgents
  /// A backend of the app, over the observers' network.
  public let backend: VisionAgents
  /// Tells when the person is done, where the settings want one.
  let endOfTurn: ScriptedEndOfTurn?
  private let environment: RouterEnvironment
  private let held: Shared<SeverableStore>
  private let router: SimulatedRouter
  private let plane: MediaPlane
  private let room: SimulatedRoom

  private static let secret = "simulated-secret"
  private static let devicePeriod = Duration.milliseconds(10)
  private static let mediaPeriod = Duration.milliseconds(5)

  public init(seed: UInt64, _ settings: WorldSettings = WorldSettings()) throws {
    self.seed = seed
    let runtime = SimulatedRuntime(seed: seed)
    self.runtime = runtime
    store = MemoryStore(executor: runtime.executor)
    recogniser = ScriptedSpeechToText(
      runtime: runtime, lines: settings.lines, delay: settings.recogniserDelay,
      faults: settings.recogniserFaults)
    model = ScriptedLanguageModel(
      runtime: runtime, answers: settings.answers, firstToken: settings.modelDelay,
      perToken: settings.modelDelayPerWord, faults: settings.modelFaults)
    native = ScriptedLanguageModel(runtime: runtime, answers: settings.answers)
    voiceOfAgent = ScriptedTextToSpeech(
      runtime: runtime, delay: settings.voiceDelay, tellsWords: settings.voiceTellsWords,
      faults: settings.voiceFaults)
    plane = try MediaPlane(
      runtime: runtime, vadWeightsPath: settings.detectorWeights, hasThread: false)
    var providers = ProviderRegistry(runtime: runtime)
    if settings.hearsStretches {
      let listener = ListeningSpeechToText(runtime: runtime, delay: settings.recogniserDelay)
      providers.add(listener, named: "scripted")
    } else {
      providers.add(recogniser, named: "scripted")
    }
    endOfTurn = settings.endOfTurn.map {
      ScriptedEndOfTurn(
        runtime: runtime, delay: settings.recogniserDelay, isAlwaysSure: $0 == .alwaysSure)
    }
    providers.endOfTurn = endOfTurn
    providers.add(model, named: "scripted")
    providers.addSpeechToSpeech(native, named: "scripted-sts")
    providers.add(voiceOfAgent, named: "scripted")
    var agent = AgentConfiguration(
      name: "helper", instructions: "Be brief.", greeting: settings.greeting)
    agent.turn.silenceMilliseconds = settings.silenceMilliseconds
    agent.turn.answerBudgetMilliseconds = settings.answerBudgetMilliseconds
    nativeModel = settings.nativeAnswer.map {
      ScriptedSpeechToSpeech(runtime: runtime, answer: $0, isMute: settings.nativeIsMute)
    }
    if let nativeModel {
      providers.addSpeechToSpeech(nativeModel, named: "native")
      agent.sts = "native"
    }
    if settings.hasSpares {
      providers.add(
        ScriptedLanguageModel(runtime: runtime, answers: settings.answers), named: "spare")
      providers.addRoute("llm-fast", to: ["scripted", "spare"])
      providers.spareVoice = ScriptedTextToSpeech(runtime: runtime)
      agent.llm = "llm-fast"
    }
    var configuration = RouterConfiguration(
      apps: [RouterConfiguration.App(key: "key", secret: Self.secret)], agents: [agent],
      defaultAgent: "helper")
    settings.configure(&configuration)
    let held = SeverableStore(store)
    self.held = Shared(held)
    environment = RouterEnvironment(
      runtime: runtime, store: held, configuration: configuration, providers: providers,
      media: plane)
    let router = SimulatedRouter(Self.makeRouter(environment))
    self.router = router
    network = SimulatedNetwork(
      handler: router, runtime: runtime, conditions: settings.link, journal: journal)
    let room = SimulatedRoom(seed: seed, isRecording: settings.isRoomRecorded)
    self.room = room
    let wakeWord = wakeWord
    agents = Self.sdk(
      on: network, runtime: runtime, wakeWord: wakeWord,
      openDevice: { [journal] in try Self.open(settings, in: room, journal, runtime) },
      closeDevice: { device in
        device.stop()
        room.closed()
      })
    observers = Self.sdk(
      on: InMemoryTransport(handler: router, runtime: runtime), runtime: runtime,
      openDevice: { throw AudioError(code: .noDevice, message: "An observer has no device.") },
      closeDevice: { _ in })
    backend = VisionAgents(
      apiKey: "key", apiSecret: Self.secret,
      environment: VisionAgents.Environment(
        runtime: runtime, transport: InMemoryTransport(handler: router, runtime: runtime),
        openDevice: { throw AudioError(code: .noDevice, message: "A backend has no device.") },
        closeDevice: { _ in }, appExecutor: runtime))
    // Where the device's blocks and the router's steps fall within a period is the seed's choice.
    let phases = (runtime.randomUInt64(), runtime.randomUInt64())
    repeatStep(.nanoseconds(Int64(phases.0 % 10_000_000)), every: Self.devicePeriod) {
      $0.room.step()
    }
    repeatStep(.nanoseconds(Int64(phases.1 % 5_000_000)), every: Self.mediaPeriod) {
      $0.plane.step()
    }
  }

  // MARK: Time

  /// Runs the world for a while.
  public func run(for duration: Duration) {
    runtime.run(for: duration)
  }

  /// Runs until `isDone` holds.
  ///
  /// - Throws: ``Stuck`` with the journal when it does not within `limit` of virtual time.
  public func run(
    until what: String, limit: Duration = .seconds(60), _ isDone: () -> Bool
  ) throws {
    guard !runtime.run(until: isDone, limit: limit) else { return }
    throw Stuck(seed: seed, what: what, limit: limit, journal: journal.text)
  }

  /// Runs an operation of the SDK to its end.
  public func run<Value: Sendable>(
    _ what: String, limit: Duration = .seconds(60),
    _ operation: @escaping @Sendable () async throws -> Value
  ) throws -> Value {
    let outcome = Shared<Result<Value, any Error>?>(nil)
    runtime.task {
      do {
        let value = try await operation()
        outcome.value = .success(value)
      } catch {
        outcome.value = .failure(error)
      }
    }
    try run(until: what, limit: limit) { outcome.value != nil }
    guard let result = outcome.value else { preconditionFailure("checked above") }
    return try result.get()
  }

  /// Nothing came of what a scenario waited for.
  public struct Stuck: Error, CustomStringConvertible {
    let seed: UInt64
    let what: String
    let limit: Duration
    let journal: String

    public var description: String {
      "VOICE_SEED=\(seed): \(what) did not happen within \(limit) of virtual time. Journal:\n"
        + journal
    }
  }

  // MARK: The router

  /// The router is killed, without a word to anybody: what it had not stored is gone.
  public func killRouter() throws {
    held.value.sever()
    _ = router.takeDown()
    try run("breaking every connection") { [network] in await network.breakConnections() }
  }

  /// A router is started over what the one before had stored.
  public func startRouter() throws {
    let next = SeverableStore(store)
    held.value = next
    let environment = RouterEnvironment(
      runtime: runtime, store: next, configuration: environment.configuration,
      providers: environment.providers, media: plane)
    _ = try run("recovery") { try await SessionRecovery.run(environment) }
    router.putUp(Self.makeRouter(environment))
  }

  private static func makeRouter(_ environment: RouterEnvironment) -> Router {
    Router(
      environment: environment,
      directory: SessionDirectory(environment: environment) { record, agent, turns, environment in
        LiveSession(record: record, agent: agent, history: turns, environment: environment)
      })
  }

  // MARK: The person

  /// The person says something after `delay`.
  @discardableResult
  public func say(after delay: Duration = .zero, for duration: Duration = .milliseconds(1_200))
    -> Utterance
  {
    let utterance = room.say(after: delay, duration: duration)
    journal.note(
      Journal.Source.world, "speech from \(utterance.firstVoiced) to \(utterance.lastVoiced)",
      at: runtime.now.nanoseconds)
    return utterance
  }

  /// What was heard at the speaker.
  public var ear: SpeakerEar { room.ear }

  /// The capture frame of now.
  public var frame: Int { room.frame }

  /// Takes the device away in the middle of whatever it does.
  public func unplug() { room.unplug() }

  /// Brings it back; nothing tells the SDK of it.
  public func plug() { room.plug() }

  /// Whether the microphone is open.
  public var isDeviceOpen: Bool { room.isOpen }

  // MARK: Sessions

  /// Opens a session with voice and follows its state in the journal.
  public func startVoice(
    tools: [AgentTool] = [], wakeWord: WakeWord? = nil
  ) throws -> SimulatedVoice {
    let voice = try run("start") { [agents] in
      try await UnmirroredVoice.start(agents: agents, tools: tools, wakeWord: wakeWord)
    }
    return SimulatedVoice(voice, world: self)
  }

  /// Watches a session from elsewhere, without a call.
  public func observe(_ sessionID: String) throws -> SimulatedVoice {
    let voice = try run("attach") { [observers] in
      let voice = try await UnmirroredVoice.attach(agents: observers, sessionID: sessionID)
      return voice
    }
    let observer = SimulatedVoice(voice, world: self, isFollowed: false)
    try run("watching") { await voice.watch() }
    return observer
  }

  /// The turns as they are stored.
  public func storedTurns(of sessionID: String) throws -> [TurnRecord] {
    try run("reading the store") { [store] in
      await store.turns(of: SessionKey(app: "key", id: sessionID), .all).map(\.value)
    }
  }

  /// The session as it is stored.
  public func storedSession(_ id: String) throws -> SessionRecord? {
    try run("reading the store") { [store] in await store.session(id, app: "key") }
  }

  // MARK: Parts

  private func repeatStep(
    _ delay: Duration, every period: Duration,
    _ step: @escaping @Sendable (SimulatedWorld) -> Void
  ) {
    runtime.after(delay) { [weak self] in
      guard let self else { return }
      self.repeatStep(period, every: period, step)
      step(self)
    }
  }

  private static func sdk(
    on transport: any Transport, runtime: SimulatedRuntime, wakeWord: ScriptedWakeWord? = nil,
    openDevice: @escaping @Sendable () async throws -> any VoiceDevice,
    closeDevice: @escaping @Sendable (any VoiceDevice) async -> Void
  ) -> VisionAgents {
    let agents = VisionAgents(
      apiKey: "key",
      environment: VisionAgents.Environment(
        runtime: runtime, transport: transport, openDevice: openDevice, closeDevice: closeDevice,
        makeWakeWordDetector: detector(wakeWord), appExecutor: runtime))
    let claims = TokenClaims(userID: "ann")
    agents.setUser(User(id: "ann", name: "Ann"), token: Token.mint(claims, secret: secret))
    return agents
  }

  private static func detector(
    _ wakeWord: ScriptedWakeWord?
  ) -> (@Sendable (String) async throws -> any WakeWordDetector)? {
    guard let wakeWord else { return nil }
    return { _ in wakeWord }
  }

  private static func open(
    _ settings: WorldSettings, in room: SimulatedRoom, _ journal: Journal,
    _ runtime: SimulatedRuntime
  ) throws -> any VoiceDevice {
    var configuration = settings.device
    configuration.detectorWeights = settings.detectorWeights
    let device = try SimulatedVoiceDevice(
      configuration: configuration, acoustics: settings.acoustics)
    try device.start()
    room.opened(device)
    return JournalDevice(device, journal: journal, runtime: runtime) { room.isPlugged }
  }
}
