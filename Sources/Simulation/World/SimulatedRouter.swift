import AgentRouter
import Networking
import Synchronization

/// The router of a simulated world, which can be killed and started again.
final class SimulatedRouter: HTTPHandler {
  private let router: Mutex<Router?>

  init(_ router: Router) {
    self.router = Mutex(router)
  }

  /// Takes the router away: nobody is answered until another one is put up.
  func takeDown() -> Router? {
    router.withLock { router in
      defer { router = nil }
      return router
    }
  }

  func putUp(_ next: Router) {
    router.withLock { $0 = next }
  }

  func respond(to request: HTTPRequest) async -> HTTPResponse {
    await router.withLock { $0 }?.respond(to: request) ?? HTTPResponse(status: 503)
  }

  func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade {
    router.withLock { $0 }?.upgrade(request) ?? .refuse(HTTPResponse(status: 503))
  }
}
