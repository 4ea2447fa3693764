import Networking
import Testing

struct ServerSentEventsTests {
  typealias Event = ServerSentEvents.Event

  private func read(_ text: String) throws -> [Event] {
    var parser = ServerSentEvents()
    return try parser.feed(text.utf8)
  }

  @Test func dataLinesAreJoinedAndAnEmptyLineDispatches() throws {
    #expect(try read("data: a\ndata:b\ndata\n\n") == [Event(data: "a\nb\n")])
  }

  @Test func typeAndIDAreReadAndOnlyTheIDStays() throws {
    let events = try read("event: delta\nid: 7\ndata: x\n\ndata: y\n\n")
    #expect(
      events == [
        Event(type: "delta", data: "x", lastEventID: "7"), Event(data: "y", lastEventID: "7"),
      ])
  }

  @Test func commentsUnknownFieldsAndEventsWithoutDataAreSkipped() throws {
    #expect(try read(": ping\n\nevent: nothing\n\nnonsense: 1\ndata: x\n\n") == [Event(data: "x")])
  }

  @Test func onlyOneLeadingSpaceIsTaken() throws {
    #expect(try read("data:  x \n\n") == [Event(data: " x ")])
  }

  @Test func anIDWithANullByteIsIgnored() throws {
    #expect(try read("id: a\u{0}b\ndata: x\n\n") == [Event(data: "x")])
  }

  @Test func anUnfinishedEventIsNotDispatched() throws {
    #expect(try read("data: x\n") == [])
  }

  @Test func retryTakesDigitsOnly() throws {
    var parser = ServerSentEvents()
    _ = try parser.feed("retry: 1500\nretry: 2s\nretry: -1\n".utf8)
    #expect(parser.retryMilliseconds == 1500)
  }

  @Test(arguments: ["\n", "\r", "\r\n"])
  func everySplitOfTheBytesGivesTheSameEvents(newline: String) throws {
    let text = "\u{FEFF}event: é\nid: 1\ndata: {\"a\": \"ü\"}\n\n: comment\ndata: b\ndata: c\n\n"
    let bytes = Array(text.replacing("\n", with: newline).utf8)
    let expected = [
      Event(type: "é", data: "{\"a\": \"ü\"}", lastEventID: "1"),
      Event(data: "b\nc", lastEventID: "1"),
    ]
    for first in 0...bytes.count {
      for second in stride(from: first, through: bytes.count, by: 3) {
        var parser = ServerSentEvents()
        let events =
          try parser.feed(bytes[..<first]) + parser.feed(bytes[first..<second])
          + parser.feed(bytes[second...])
        #expect(events == expected, "split at \(first) and \(second)")
      }
    }
  }

  @Test func anEventWithoutEndIsRefused() throws {
    var parser = ServerSentEvents()
    _ = try parser.feed("data: ".utf8)
    #expect(throws: ServerSentEvents.TooLarge.self) {
      for _ in 0..<65 { _ = try parser.feed([UInt8](repeating: 65, count: 16_384)) }
    }
    #expect(throws: ServerSentEvents.TooLarge.self) { _ = try parser.feed("\n\n".utf8) }
  }
}
