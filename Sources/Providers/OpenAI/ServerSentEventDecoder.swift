/// Cuts an event stream (WHATWG HTML, section 9.2.6) into the data of its events.
struct ServerSentEventDecoder {
  /// Longest line taken, in bytes.
  static let longestLine = 1 << 20

  private var line: [UInt8] = []
  private var data: [String] = []
  private var lastWasCarriageReturn = false

  /// Takes the next bytes and returns the data of the events they complete.
  mutating func append(_ bytes: [UInt8]) throws(ProviderError) -> [String] {
    var events: [String] = []
    for byte in bytes {
      defer { lastWasCarriageReturn = byte == 0x0D }
      switch byte {
      case 0x0A where lastWasCarriageReturn: break
      case 0x0A, 0x0D: endLine(&events)
      default:
        guard line.count < Self.longestLine else {
          throw .failed("The provider's event stream has a line over 1 MiB.")
        }
        line.append(byte)
      }
    }
    return events
  }

  private mutating func endLine(_ events: inout [String]) {
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else {
      if !data.isEmpty { events.append(data.joined(separator: "\n")) }
      data.removeAll()
      return
    }
    let text = String(decoding: line, as: UTF8.self)
    guard text.hasPrefix("data:") else { return }
    let value = text.dropFirst(5)
    data.append(String(value.first == " " ? value.dropFirst() : value))
  }
}
