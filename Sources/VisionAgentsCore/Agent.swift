/// One agent of the router.
public struct Agent: Sendable {
  public let name: String
  public let sessions: Sessions
}
