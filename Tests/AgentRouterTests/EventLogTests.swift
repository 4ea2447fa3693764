import SessionsModel
import Testing

@testable import AgentRouter

@Suite struct EventLogTests {
  private func log(_ count: Int) -> EventLog {
    var log = EventLog(stream: "s")
    for number in 0..<count { _ = log.append(Frame(.heard, ["n": .int(number)])) }
    return log
  }

  @Test func framesAreNumberedFromOne() {
    var log = EventLog(stream: "s")
    #expect(log.append(Frame(.heard)).seq == 1)
    #expect(log.append(Frame(.heard)).seq == 2)
    #expect(log.lastSequence == 2)
  }

  @Test(arguments: [0, 1, 1023, 1024, 1025, 3000])
  func aResumingWatcherGetsEverythingOnceOrIsToldOfTheGap(_ count: Int) {
    let log = log(count)
    for after in Set([0, 1, count / 2, max(0, count - 1024), max(0, count - 1025), count]) {
      guard after <= count else { continue }
      let resumption = log.resume(after: UInt64(after), stream: "s")
      #expect(resumption.gap == (count - after > 1024), "\(after) of \(count)")
      if !resumption.gap {
        #expect(resumption.frames.map(\.seq) == ((after + 1)..<(count + 1)).map { UInt64($0) })
        #expect(resumption.frames.map { $0["n"]?.intValue } == (after..<count).map { $0 })
      }
    }
  }

  @Test func anotherStreamOrAFutureNumberIsAGap() {
    let log = log(5)
    #expect(log.resume(after: 3, stream: "other").gap)
    #expect(log.resume(after: 3, stream: nil).gap)
    #expect(log.resume(after: 6, stream: "s").gap)
    #expect(log.resume(after: .max, stream: "s").gap)
  }

  @Test func aFirstTimeWatcherGetsNothingOld() {
    #expect(log(5).resume(after: nil, stream: nil) == .init(frames: [], gap: false))
  }
}
