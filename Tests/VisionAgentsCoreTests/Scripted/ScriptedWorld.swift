import Networking
import Observation
import Synchronization
import Testing
import VisionAgentsCore
import VoiceEngine

/// A real event loop, a scripted router and a scripted device.
struct ScriptedWorld {
  static let runtime = LoopRuntime()

  let router: ScriptedRouter
  let device: ScriptedDevice
  let environment: VisionAgents.Environment
  let agents: VisionAgents

  init(
    answer: @escaping ScriptedRouter.Answer = { _ in .json(200, RouterAnswers.session()) },
    deviceError: AudioError? = nil
  ) {
    let router = ScriptedRouter(answer: answer)
    let device = ScriptedDevice()
    self.router = router
    self.device = device
    environment = VisionAgents.Environment(
      runtime: Self.runtime, transport: router,
      openDevice: {
        if let deviceError { throw deviceError }
        return device
      },
      closeDevice: { $0.stop() })
    agents = VisionAgents(apiKey: "key", environment: environment)
    agents.setUser(User(id: "jlahey", name: "Jim"), token: "token-1")
  }

  /// A session in writing whose socket is open and has its snapshot.
  @MainActor
  func startedSession(
    tools: [AgentTool] = []
  ) async throws -> (session: AgentSession, socket: ScriptedSocket) {
    var options = SessionOptions()
    options.tools = tools
    let session = try await agents.agent("myagent").sessions.create(options)
    async let started: Void = session.start()
    let socket = await router.nextSocket()
    socket.send(RouterAnswers.snapshot())
    await started
    return (session, socket)
  }
}

/// How long a test waits for something to show before it fails; no machine is that slow.
private let patience = Duration.seconds(60)

/// Waits until a condition holds of what the SDK's classes and the doubles show, woken by their changes.
///
/// A state that was missed, or never comes, fails the test with its place.
@MainActor
func until(
  sourceLocation: SourceLocation = #_sourceLocation, _ condition: @MainActor () -> Bool
) async {
  let isOver = Mutex(false)
  while true {
    let (changes, signal) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    if withObservationTracking(condition, onChange: { signal.finish() }) { return }
    if isOver.withLock({ $0 }) {
      Issue.record("it never showed", sourceLocation: sourceLocation)
      return
    }
    let limit = ScriptedWorld.runtime.after(patience) {
      isOver.withLock { $0 = true }
      signal.finish()
    }
    for await _ in changes {}
    limit.cancel()
  }
}
