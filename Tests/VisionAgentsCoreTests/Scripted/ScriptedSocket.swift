import Networking
import SessionsModel

/// A WebSocket in memory: the SDK holds it as the client, the test plays the router.
final class ScriptedSocket: WebSocketConnection {
  let request: WebSocketRequest
  private let toClient = Mailbox<WebSocketEvent>()
  private let toServer = Mailbox<WebSocketEvent>()

  init(_ request: WebSocketRequest) {
    self.request = request
  }

  func query(_ name: String) -> String? {
    request.query.first { $0.name == name }?.value
  }

  // MARK: The router's side

  func send(_ json: JSONValue) {
    toClient.put(.message(.text(json.serializedText)))
  }

  func send(_ bytes: [UInt8]) {
    toClient.put(.message(.binary(bytes)))
  }

  func hangUp(code: Int, reason: String = "") {
    toClient.put(.closed(code: code, reason: reason))
    toClient.end()
  }

  /// The SDK's next frame; nil once it closed.
  func received() async -> JSONValue? {
    guard case .message(.text(let text))? = await toServer.next() else { return nil }
    return try? JSONValue.parse(text)  // What is no JSON is none of the frames a test waits for.
  }

  /// The SDK's next frame of a type, skipping others.
  func received(_ type: String) async -> JSONValue? {
    while let json = await received() {
      if json["type"]?.stringValue == type { return json }
    }
    return nil
  }

  /// The SDK's next binary message.
  func receivedBytes() async -> [UInt8]? {
    guard case .message(.binary(let bytes))? = await toServer.next() else { return nil }
    return bytes
  }

  // MARK: The SDK's side

  func send(_ message: WebSocketMessage) async {
    toServer.put(.message(message))
  }

  var unsentBytes: Int {
    get async { 0 }
  }

  func receive() async -> WebSocketEvent? {
    await toClient.next()
  }

  func close(code: Int, reason: String) async {
    toServer.put(.closed(code: code, reason: reason))
    toServer.end()
    toClient.put(.closed(code: code, reason: reason))
    toClient.end()
  }
}
