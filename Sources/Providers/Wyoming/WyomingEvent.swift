import SessionsModel

/// One event of the Wyoming protocol: a line of JSON, then data and payload of the lengths it names.
///
/// The format: https://github.com/rhasspy/wyoming, README, "Format".
struct WyomingEvent: Sendable, Equatable {
  var type: String
  var data: [String: JSONValue] = [:]
  var payload: [UInt8] = []

  /// The event as it crosses the network; its data stand in the line itself.
  var encoded: [UInt8] {
    var line: JSONValue = ["type": .string(type), "data": .object(data)]
    if !payload.isEmpty { line["payload_length"] = .int(payload.count) }
    return line.serialized + [UInt8(ascii: "\n")] + payload
  }
}

/// Reads events from a stream of bytes.
struct WyomingDecoder {
  static let lineBytesAtMost = 64 << 10
  static let dataBytesAtMost = 1 << 20
  static let payloadBytesAtMost = 4 << 20

  /// What came cannot be read: the end of a sentence about the server.
  struct Broken: Error, Equatable {
    var what: String
  }

  private var bytes: [UInt8] = []
  private var start = 0
  /// How far the unfinished line was searched for its end.
  private var searched = 0

  mutating func append(_ more: [UInt8]) {
    if start > 0 {
      bytes.removeFirst(start)
      searched -= start
      start = 0
    }
    bytes += more
  }

  /// Whether something was begun and is not whole.
  var isInMidEvent: Bool { start < bytes.count }

  /// The next whole event; nil when more bytes are needed.
  mutating func next() throws(Broken) -> WyomingEvent? {
    searched = max(searched, start)
    guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
      searched = bytes.count
      guard bytes.count - start <= Self.lineBytesAtMost else {
        throw Broken(what: "a line of more than \(Self.lineBytesAtMost) bytes")
      }
      return nil
    }
    let line = Array(bytes[start..<end])
    guard let head = try? JSONValue.parse(line), let type = head["type"]?.stringValue else {
      throw Broken(what: "a line that is no event: \(Self.shown(line))")
    }
    let dataLength = try length(head["data_length"], Self.dataBytesAtMost, "data")
    let payloadLength = try length(head["payload_length"], Self.payloadBytesAtMost, "a payload")
    let dataStart = end + 1
    guard bytes.count >= dataStart + dataLength + payloadLength else { return nil }
    var event = WyomingEvent(type: type, data: head["data"]?.objectValue ?? [:])
    if dataLength > 0 {
      let data = Array(bytes[dataStart..<dataStart + dataLength])
      guard let fields = (try? JSONValue.parse(data))?.objectValue else {
        throw Broken(what: "data that are no JSON object: \(Self.shown(data))")
      }
      event.data.merge(fields) { _, later in later }
    }
    event.payload = Array(
      bytes[(dataStart + dataLength)..<(dataStart + dataLength + payloadLength)])
    start = dataStart + dataLength + payloadLength
    return event
  }

  private func length(_ value: JSONValue?, _ most: Int, _ what: String) throws(Broken) -> Int {
    guard let value, !value.isNull else { return 0 }
    guard let length = value.intValue, (0...most).contains(length) else {
      throw Broken(what: "an event with \(what) of \(value) bytes")
    }
    return length
  }

  private static func shown(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.prefix(100), as: UTF8.self)
  }
}
