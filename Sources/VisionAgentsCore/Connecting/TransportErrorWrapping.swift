import Networking

extension AgentsError {
  /// The SDK's error for one of the network; cancellation stays what it is.
  static func wrapping(_ error: TransportError) -> any Error {
    switch error {
    case .cancelled: CancellationError()
    case .refused(let response): AgentsError.http(HTTPFailure(response))
    case .unreachable, .timedOut, .broken: AgentsError.transport(error)
    }
  }

  /// Any error as one of the SDK's, for what is kept as `failure`.
  static func keeping(_ error: any Error) -> AgentsError {
    (error as? AgentsError) ?? .transport(error)
  }
}
