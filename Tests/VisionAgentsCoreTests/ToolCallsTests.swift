import SessionsModel
import Testing

@testable import VisionAgentsCore

struct ToolCallsTests {
  private let call: [String: SessionsModel.JSONValue] = [
    "id": "c1", "name": "find", "arguments": "{\"number\":1042}", "turn_id": "t1",
    "request_id": "q1",
  ]

  @Test func aCallIsRunAndAnsweredOnceWithItsTurn() throws {
    var calls = ToolCalls(names: ["find"])
    let toolCall = try #require(ToolCall(call))
    #expect(toolCall.arguments == ["number": 1042])
    #expect(calls.called(call) == [.run(toolCall)])
    #expect(calls.called(call) == [], "the router repeated it")
    let result = Frame(
      .toolResult,
      [
        "tool_call_id": "c1", "output": "on its way", "error": "", "turn_id": "t1",
        "request_id": "q1",
      ])
    #expect(
      calls.finished("c1", output: "on its way", error: "") == [.stop(id: "c1"), .send(result)])
    #expect(calls.finished("c1", output: "", error: "too late") == [], "the limit came after")
    #expect(calls.resumed() == [.send(result)], "not confirmed yet")
    #expect(calls.settled("c1") == [])
    #expect(calls.resumed() == [])
  }

  @Test func toolsOfOthersAreLeftToThem() {
    var calls = ToolCalls(names: ["other"])
    #expect(calls.called(call) == [])
    #expect(calls.finished("c1", output: "x", error: "") == [])
  }

  @Test func aCancelledCallIsStoppedAndItsFailureIsNobodysBusiness() {
    var calls = ToolCalls(names: ["find"])
    _ = calls.called(call)
    #expect(calls.cancelled("c1") == [.stop(id: "c1")])
    #expect(calls.finished("c1", output: "", error: "cancelled") == [])
    #expect(calls.finished("c1", output: "x", error: "") == [])
  }

  @Test func aCancelledCallThatWasDoneAllTheSameIsToldOnce() {
    var calls = ToolCalls(names: ["find"])
    _ = calls.called(call)
    _ = calls.cancelled("c1")
    let late = calls.finished("c1", output: "ordered", error: "")
    #expect(late.count == 2)
    #expect(calls.finished("c1", output: "ordered", error: "") == [])
  }

  @Test func theEndStopsWhatRuns() {
    var calls = ToolCalls(names: ["find"])
    _ = calls.called(call)
    #expect(calls.ended() == [.stop(id: "c1")])
    #expect(calls.resumed() == [])
  }

  @Test func memoryIsBounded() {
    var calls = ToolCalls(names: ["find"])
    for number in 0...ToolCalls.memory {
      _ = calls.called(["id": .string("c\(number)"), "name": "find"])
      _ = calls.finished("c\(number)", output: "", error: "")
    }
    #expect(calls.resumed().count == ToolCalls.memory)
  }
}
