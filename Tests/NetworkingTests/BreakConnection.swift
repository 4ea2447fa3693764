@testable import Networking

extension WebSocketConnection {
  /// Cuts a real connection without a close frame.
  func breakConnection() async {
    await (self as? LoopWebSocket)?.abort()
  }
}
