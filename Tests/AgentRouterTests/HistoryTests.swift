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
    let history = History(recorded: [
      RecordedTurn(record(1, said: "Hi", answer: "Hello.")),
      RecordedTurn(record(2, said: "", answer: "Welcome.")),
      RecordedTurn(record(3, said: "Cut at once", answer: "")),
    ])
    #expect(
      history.messages(instructions: "Be brief.", present: [ModelMessage(.user, "So?")]) == [
        ModelMessage(.system, "Be brief."), ModelMessage(.user, "Hi"),
        ModelMessage(.assistant, "Hello."), ModelMessage(.assistant, "Welcome."),
        ModelMessage(.user, "Cut at once"), ModelMessage(.user, "So?"),
      ])
  }

  private func item(
    _ kind: AgentResponseItem.Kind, _ id: String, text: String? = nil, _ more: JSONValue = [:]
  ) -> AgentResponseItem {
    var item = AgentResponseItem(
      responseID: "1", ordinal: 0, kind: kind, at: Date(timeIntervalSince1970: 0), text: text)
    item.toolName = "order"
    var payload = more
    payload["id"] = .string(id)
    item.payload = payload
    return item
  }

  @Test func aCallOfAToolComesBackWithItsResultAndTheLateOneCounts() {
    let turn = RecordedTurn(
      record(1, said: "Order tea and milk", answer: "Done."),
      items: [
        item(.toolCall, "a", ["arguments": "{\"n\":1}"]), item(.toolCall, "b"),
        item(.toolResult, "a", text: "failed"),
        item(.toolResult, "a", text: "ordered", ["late": true]),
      ])
    let messages = History(recorded: [turn]).messages(instructions: "", present: [])
    #expect(
      messages == [
        ModelMessage(.user, "Order tea and milk"),
        ModelMessage(
          .assistant, "",
          toolCalls: [ModelToolCall(id: "a", name: "order", arguments: "{\"n\":1}")]),
        ModelMessage(.tool, "ordered", toolCallID: "a"),
        ModelMessage(
          .assistant, "", toolCalls: [ModelToolCall(id: "b", name: "order", arguments: "")]),
        ModelMessage(.tool, History.noResult, toolCallID: "b"),
        ModelMessage(.assistant, "Done."),
      ])
  }

  @Test func aRewoundTurnIsForgotten() {
    var rewound = record(1, said: "Hi", answer: "Hello.")
    rewound.isRewound = true
    #expect(
      History(recorded: [RecordedTurn(rewound)]).messages(instructions: "", present: []) == [])
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
