import SessionsModel
import Testing

@testable import VisionAgentsCore

struct EventSubscribersTests {
  /// R7, R86.
  @Test func everyReaderSeesEverythingSinceItRegistered() async {
    let subscribers = EventSubscribers()
    let first = subscribers.makeStream()
    subscribers.send(event(1))
    let second = subscribers.makeStream()
    subscribers.send(event(2))
    subscribers.finish()
    #expect(await texts(of: first) == ["1", "2"])
    #expect(await texts(of: second) == ["2"])
    #expect(await texts(of: subscribers.makeStream()) == [], "after the end it ends at once")
  }

  @Test func aReaderThatDoesNotReadIsEndedAndNobodyElse() async {
    let subscribers = EventSubscribers()
    let slow = subscribers.makeStream()
    let fast = subscribers.makeStream()
    var iterator = fast.makeAsyncIterator()
    for number in 0..<EventSubscribers.bound + 10 {
      subscribers.send(event(number))
      #expect(await iterator.next()?.text == "\(number)")
    }
    var count = 0
    var last: AgentEvent?
    for await event in slow {
      count += 1
      last = event
    }
    #expect(count == EventSubscribers.bound + 1)
    #expect(last?.kind == .error)
    #expect(last?.fields["code"] == "slow_consumer")
    #expect(subscribers.slowReaders == 1)
  }

  private func event(_ number: Int) -> AgentEvent {
    AgentEvent(Frame(.responseDelta, ["text": .string("\(number)")]))
  }

  private func texts(of stream: AsyncStream<AgentEvent>) async -> [String] {
    var texts: [String] = []
    for await event in stream {
      texts.append(event.text)
    }
    return texts
  }
}
