import Networking
import Testing

@testable import Networking

struct TimerQueueTests {
  @Test(arguments: UInt64(1)...20)
  func timersComeOutByDeadlineThenByNumberWhateverWasRemoved(seed: UInt64) {
    var state = seed
    func random(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    var queue = TimerQueue<UInt64>()
    var expected: [(deadline: Int64, id: UInt64)] = []
    for id in UInt64(0)..<500 {
      let deadline = Int64(random(50))
      queue.insert(id, id: id, deadline: MonotonicInstant(nanoseconds: deadline))
      expected.append((deadline, id))
      if random(3) > 0 {
        let victim = expected.remove(at: Int(random(UInt64(expected.count))))
        queue.remove(id: victim.id)
      }
    }
    expected.sort { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
    #expect(queue.count == expected.count)
    #expect(queue.nextDeadline()?.nanoseconds == expected.first?.deadline)
    var seen: [UInt64] = []
    while let id = queue.popDue(at: MonotonicInstant(nanoseconds: 50)) { seen.append(id) }
    #expect(seen == expected.map(\.id))
  }

  @Test func aTimerIsNotDueBeforeItsDeadline() {
    var queue = TimerQueue<Int>()
    queue.insert(1, id: 1, deadline: MonotonicInstant(nanoseconds: 10))
    #expect(queue.popDue(at: MonotonicInstant(nanoseconds: 9)) == nil)
    #expect(queue.popDue(at: MonotonicInstant(nanoseconds: 10)) == 1)
  }
}
