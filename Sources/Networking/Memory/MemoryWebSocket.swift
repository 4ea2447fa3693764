/// One end of a WebSocket in memory.
final class MemoryWebSocket: WebSocketConnection {
  private let pair: MemoryWebSocketPair
  private let side: MemoryWebSocketPair.Side

  init(pair: MemoryWebSocketPair, side: MemoryWebSocketPair.Side) {
    self.pair = pair
    self.side = side
  }

  func send(_ message: WebSocketMessage) async {
    await pair.send(message, from: side)
  }

  var unsentBytes: Int {
    get async { await pair.unsentBytes(of: side) }
  }

  func receive() async -> WebSocketEvent? {
    await pair.receive(at: side)
  }

  func close(code: Int, reason: String) async {
    await pair.close(from: side, code: code, reason: reason)
  }
}
