/// Reads a stream of server-sent events, fed in pieces of any size.
///
/// Follows the WHATWG HTML standard, section 9.2.6: UTF-8 with an optional byte order mark, lines
/// ended by LF, CR or CRLF, comments, `data` joined by newlines, an event without data dropped,
/// an unfinished last event discarded.
public struct ServerSentEvents: Sendable {
  /// One event as dispatched by an empty line.
  public struct Event: Sendable, Equatable {
    /// The event's type; `message` when the stream named none.
    public var type: String
    public var data: String
    /// The last id the stream has set, here or before; empty when none.
    public var lastEventID: String

    public init(type: String = "message", data: String, lastEventID: String = "") {
      self.type = type
      self.data = data
      self.lastEventID = lastEventID
    }
  }

  /// The event being read exceeded the bound; nothing more can be read.
  public struct TooLarge: Error, Equatable {}

  /// Bytes an event (its data and the line being read) may hold.
  public static let maximumEventBytes = 1 << 20

  /// The reconnection time the stream asked for, in milliseconds.
  public private(set) var retryMilliseconds: Int?

  private var line: [UInt8] = []
  private var lineEndedByCR = false
  private var atStart = true
  private var type = ""
  private var data: [UInt8] = []
  private var hasData = false
  private var lastEventID = ""
  private var failed = false

  public init() {}

  /// Takes the next bytes and returns the events they complete.
  ///
  /// - Throws: ``TooLarge`` when an event exceeds ``maximumEventBytes``.
  public mutating func feed(_ bytes: some Sequence<UInt8>) throws(TooLarge) -> [Event] {
    if failed { throw TooLarge() }
    var events: [Event] = []
    for byte in bytes {
      let followsCR = lineEndedByCR
      lineEndedByCR = byte == UInt8(ascii: "\r")
      switch byte {
      case UInt8(ascii: "\n") where followsCR:
        continue
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        if let event = endLine() { events.append(event) }
      default:
        line.append(byte)
        if line.count + data.count > Self.maximumEventBytes {
          failed = true
          throw TooLarge()
        }
      }
    }
    return events
  }

  private mutating func endLine() -> Event? {
    defer { line.removeAll(keepingCapacity: true) }
    if atStart {
      atStart = false
      if line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
    }
    guard !line.isEmpty else { return dispatch() }
    let colon = line.firstIndex(of: UInt8(ascii: ":"))
    let field = String(decoding: line[..<(colon ?? line.endIndex)], as: UTF8.self)
    var value = colon.map { line[($0 + 1)...] } ?? []
    if value.first == UInt8(ascii: " ") { value.removeFirst() }
    take(field: field, value: value)
    return nil
  }

  private mutating func take(field: String, value: ArraySlice<UInt8>) {
    switch field {
    case "event":
      type = String(decoding: value, as: UTF8.self)
    case "data":
      if hasData { data.append(UInt8(ascii: "\n")) }
      hasData = true
      data.append(contentsOf: value)
    case "id":
      if !value.contains(0) { lastEventID = String(decoding: value, as: UTF8.self) }
    case "retry":
      let isNumber = value.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
      if isNumber, let time = Int(String(decoding: value, as: UTF8.self)) {
        retryMilliseconds = time
      }
    default:
      // Comments (an empty field name) and unknown fields.
      break
    }
  }

  private mutating func dispatch() -> Event? {
    defer {
      type = ""
      data = []
      hasData = false
    }
    guard hasData else { return nil }
    return Event(
      type: type.isEmpty ? "message" : type, data: String(decoding: data, as: UTF8.self),
      lastEventID: lastEventID)
  }
}
