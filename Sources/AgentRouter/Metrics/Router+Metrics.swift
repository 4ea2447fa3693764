import Networking

// Figures for whoever runs the router; not a part of the interface that clients see.
extension Router {
  /// The metrics, for this machine and for backends with a key.
  func metrics(_ request: HTTPRequest) throws(APIError) -> HTTPResponse {
    if !RouterConfiguration.isLoopback(request.remoteAddress) {
      let caller = try authenticator.caller(of: request, isSocket: false)
      guard caller.isBackend else {
        throw APIError(.serverOnly, "The metrics are for this machine and for backends.")
      }
    }
    var response = HTTPResponse(status: 200, body: Array(environment.metrics.text.utf8))
    response.headers["Content-Type"] = "text/plain; version=0.0.4; charset=utf-8"
    return response
  }
}
