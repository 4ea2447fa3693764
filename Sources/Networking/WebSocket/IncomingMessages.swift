/// Puts a WebSocket's fragments together and keeps what nobody has read yet.
struct IncomingMessages {
  /// Why a message cannot be taken, as the close code to answer with (RFC 6455, 7.4.1).
  enum Offence: Error {
    case tooLarge
    case notUTF8

    var closeCode: Int {
      switch self {
      case .tooLarge: 1009
      case .notUTF8: 1007
      }
    }

    var reason: String {
      switch self {
      case .tooLarge: "a message may have \(maximumMessageBytes) bytes"
      case .notUTF8: "a text message must be UTF-8"
      }
    }
  }

  static let maximumMessageBytes = 5 << 20
  private static let eventOverheadBytes = 64

  private var fragments: [UInt8] = []
  private var events: [WebSocketEvent] = []
  private var head = 0

  /// Bytes of the events nobody has read.
  private(set) var unreadBytes = 0

  /// Takes a piece of a message; returns the message when this was its end.
  mutating func take(
    _ piece: UnsafeRawBufferPointer, isEnd: Bool, isBinary: Bool
  ) throws(Offence) -> WebSocketMessage? {
    guard fragments.count + piece.count <= Self.maximumMessageBytes else { throw .tooLarge }
    fragments.append(contentsOf: piece)
    guard isEnd else { return nil }
    defer { fragments = [] }
    if isBinary { return .binary(fragments) }
    guard let text = String(validating: fragments, as: UTF8.self) else { throw .notUTF8 }
    return .text(text)
  }

  /// Keeps an event until it is read.
  mutating func append(_ event: WebSocketEvent) {
    events.append(event)
    unreadBytes += Self.cost(of: event)
  }

  /// Takes out the oldest event.
  mutating func popFirst() -> WebSocketEvent? {
    guard head < events.count else { return nil }
    let event = events[head]
    events[head] = .closed(code: 0, reason: "")
    head += 1
    unreadBytes -= Self.cost(of: event)
    if head == events.count {
      events.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 64, head * 2 > events.count {
      events.removeFirst(head)
      head = 0
    }
    return event
  }

  private static func cost(of event: WebSocketEvent) -> Int {
    switch event {
    case .message(.text(let text)): text.utf8.count + eventOverheadBytes
    case .message(.binary(let bytes)): bytes.count + eventOverheadBytes
    case .closed: eventOverheadBytes
    }
  }
}
