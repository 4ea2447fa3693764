extension LoopServer {
  /// Why a server cannot listen.
  public enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
    case addressInUse(address: String, port: Int)
    case notListening(address: String, port: Int, reason: String)

    public var description: String {
      switch self {
      case .addressInUse(let address, let port):
        "port \(port) at \(address) is in use by another program: stop it or choose another port"
      case .notListening(let address, let port, let reason):
        "cannot listen at \(address), port \(port): \(reason)"
      }
    }
  }
}
