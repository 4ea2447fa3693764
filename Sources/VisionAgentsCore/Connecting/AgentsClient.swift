import Networking
import SessionsModel
import Synchronization

/// What every value of one `VisionAgents` shares.
final class AgentsClient: Sendable {
  private struct Open {
    var sessions: [ObjectIdentifier: WeakConnection] = [:]
    var chat: ChatClient?
    var call: CallClient?
  }

  private struct WeakConnection {
    weak var connection: SessionConnection?
  }

  let environment: VisionAgents.Environment
  let credentials: Credentials
  let rest: RESTClient
  /// Names this device on calls: a second join of the same one takes the first one's place.
  let deviceID: String
  private let open = Mutex(Open())

  init(
    origin: Result<Origin, AgentsError>, mode: Credentials.Mode,
    environment: VisionAgents.Environment
  ) {
    self.environment = environment
    credentials = Credentials(mode)
    rest = RESTClient(origin: origin, credentials: credentials, environment: environment)
    deviceID = Self.newID(environment.runtime)
  }

  /// A fresh id for a request or a device.
  func newID() -> String {
    Self.newID(environment.runtime)
  }

  private static func newID(_ runtime: any Runtime) -> String {
    let random = (runtime.randomUInt64(), runtime.randomUInt64())
    return UUIDv7(time: runtime.wallClock, random: random).description
  }

  /// Makes the live object of a session; its socket opens with `start()`.
  func open(_ session: Session, tools: [AgentTool]) async -> AgentSession {
    let connection = SessionConnection(session: session, client: self, tools: tools)
    open.withLock { open in
      open.sessions = open.sessions.filter { $0.value.connection != nil }
      open.sessions[ObjectIdentifier(connection)] = WeakConnection(connection: connection)
    }
    return await AgentSession(session, connection: connection, client: self)
  }

  /// Closes every socket this client opened.
  func disconnect() async {
    let connections = open.withLock { open in
      let connections = open.sessions.values.compactMap(\.connection)
      open.sessions = [:]
      return connections
    }
    for connection in connections {
      await connection.disconnect()
    }
  }

  func use(_ chat: ChatClient) {
    open.withLock { $0.chat = chat }
  }

  func use(_ call: CallClient) {
    open.withLock { $0.call = call }
  }

  var chatClient: ChatClient? { open.withLock { $0.chat } }
  var callClient: CallClient? { open.withLock { $0.call } }
}
