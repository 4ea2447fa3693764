import Networking
import Synchronization
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

/// Waits, turn by turn of the main actor, until a condition holds.
///
/// For mirrors: they change when the main actor gets to it. A test that never gets there hangs and is
/// ended by the run's own limit, so a slow machine fails nothing.
@MainActor
func until(_ condition: @MainActor () -> Bool) async {
  while !condition() {
    await Task.yield()
  }
}
