public import Foundation
import Networking

/// The way to the agents of a router: who asks, and the sessions to talk in.
///
/// ```swift
/// let agents = VisionAgents(apiKey: "your_api_key")
/// agents.setUser(User(id: "jlahey")) { try await yourBackend.agentToken() }
/// let session = try await agents.agent("myagent").sessions.create()
/// ```
public struct VisionAgents: Sendable {
  let client: AgentsClient

  /// A user's device: call ``setUser(_:token:)-(_,TokenProvider)`` before anything else.
  ///
  /// - Parameters:
  ///   - url: the router, with `http` or `https`.
  ///   - environment: nil for the process's own loop, network and sound.
  public init(
    apiKey: String, url: URL = Backend.defaultURL, environment: Environment? = nil
  ) {
    self.init(.device(apiKey: apiKey), url: url, environment: environment)
  }

  /// A backend: it signs its own tokens with the app's secret, which no device may hold.
  public init(
    apiKey: String, apiSecret: String, url: URL = Backend.defaultURL,
    environment: Environment? = nil
  ) {
    self.init(.backend(apiKey: apiKey, secret: apiSecret), url: url, environment: environment)
  }

  /// A backend whose key and secret stand in `STREAM_API_KEY` and `STREAM_API_SECRET`.
  ///
  /// - Throws: `.configuration` naming the variable that is missing.
  public static func backend(
    url: URL = Backend.defaultURL, environment: Environment? = nil
  ) throws -> VisionAgents {
    let variables = ProcessInfo.processInfo.environment
    func value(_ name: String) throws -> String {
      guard let value = variables[name], !value.isEmpty else {
        throw AgentsError.configuration("The environment variable \(name) is not set.")
      }
      return value
    }
    return VisionAgents(
      apiKey: try value("STREAM_API_KEY"), apiSecret: try value("STREAM_API_SECRET"), url: url,
      environment: environment)
  }

  /// A router without authentication, which believes the name; on this machine only.
  public init(url: URL, customerID: String, environment: Environment? = nil) {
    self.init(.customer(id: customerID), url: url, environment: environment)
  }

  private init(_ mode: Credentials.Mode, url: URL, environment: Environment?) {
    client = AgentsClient(
      origin: .reading(url), mode: mode,
      environment: environment ?? .live)
  }

  /// Says whose sessions these are, and where tokens for them come from.
  ///
  /// - Parameter token: asked when a token is first needed, and again when the router refuses it.
  public func setUser(_ user: User, token: @escaping TokenProvider) {
    client.credentials.set(user, provider: token)
  }

  /// Says whose sessions these are, with a token that does not change.
  public func setUser(_ user: User, token: String) {
    client.credentials.set(user) { token }
  }

  /// Forgets the user and the token. Sessions that are open stay open.
  public func clearUser() {
    client.credentials.set(nil, provider: nil)
  }

  /// One agent, by its name.
  public func agent(_ name: String) -> Agent {
    Agent(name: name, sessions: Sessions(client: client, agent: name))
  }

  /// The sessions of all agents.
  public var sessions: Sessions {
    Sessions(client: client, agent: nil)
  }

  /// Opens a session known by its id, ended ones too, with everything that was said.
  public func attach(sessionID: String, tools: [AgentTool] = []) async throws -> AgentSession {
    try await sessions.resume(sessionID, tools: tools)
  }

  /// Ends a conversation known by its id; safe when it has already ended.
  public func close(sessionID: String) async throws {
    _ = try await client.rest.send(
      .post, SessionPaths.session(sessionID, "stop"), mayRepeat: true)
  }

  /// Opens a conversation in writing and its socket.
  ///
  /// - Parameter agent: nil for the router's default agent.
  public func chat(agent: String? = nil, tools: [AgentTool] = []) async throws -> AgentSession {
    var options = SessionOptions(agent: agent)
    options.tools = tools
    let session = try await sessions.create(options)
    await session.start()
    return session
  }

  /// Hands over the app's own client for transcripts: no second one is made, and it is never closed.
  public func use(_ chat: ChatClient) {
    client.use(chat)
  }

  /// Hands over the app's own client for calls.
  public func use(_ video: CallClient) {
    client.use(video)
  }

  /// Closes every socket opened here. A session in writing ends with its last watcher.
  public func disconnect() async {
    await client.disconnect()
  }
}
