import Foundation
import Providers
import SessionsModel
import Stores
import Testing

@testable import AgentRouter

@Suite struct HistoryTests {
  private func record(_ id: Int, said: String, answer: String) -> TurnRecord {
    var record = TurnRecord(
      sessionID: "s", id: "\(id)", requestID: "\(id)", origin: .typed, said: said,
      createdAt: Date(timeIntervalSince1970: 0))
    record.answer = answer
    record.status = .completed
    return record
  }

  @Test func recordedTurnsComeBackInTheStandardForm() {
    let history = History(records: [
      record(1, said: "Hi", answer: "Hello."), record(2, said: "", answer: "Welcome."),
      record(3, said: "Cut at once", answer: ""),
    ])
    #expect(
      history.messages(instructions: "Be brief.", present: [ModelMessage(.user, "So?")]) == [
        ModelMessage(.system, "Be brief."), ModelMessage(.user, "Hi"),
        ModelMessage(.assistant, "Hello."), ModelMessage(.assistant, "Welcome."),
        ModelMessage(.user, "Cut at once"), ModelMessage(.user, "So?"),
      ])
  }

  @Test func aRewoundTurnIsForgotten() {
    var rewound = record(1, said: "Hi", answer: "Hello.")
    rewound.isRewound = true
    #expect(History(records: [rewound]).messages(instructions: "", present: []) == [])
  }

  @Test func theOldestTurnsGoManyAtATimeSoThatTheBeginningStaysTheSame() {
    var history = History()
    var beginnings: [String] = []
    for index in 0..<100 {
      history.append([ModelMessage(.user, "\(index) " + String(repeating: "x", count: 200))])
      let messages = history.messages(instructions: "", present: [])
      beginnings.append(messages[0].content)
      #expect(messages.reduce(0) { $0 + $1.content.count } <= History.longestPast)
    }
    #expect(Set(beginnings).count < 15)
    #expect(beginnings.last != beginnings.first)
  }
}
