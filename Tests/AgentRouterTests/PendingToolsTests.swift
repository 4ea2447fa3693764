import Providers
import Testing

@testable import AgentRouter

@Suite struct PendingToolsTests {
  private func call(_ id: String) -> ModelToolCall {
    ModelToolCall(id: id, name: "lookup", arguments: "{}")
  }

  @Test func aStepIsSettledWithItsLastResult() {
    var tools = PendingTools()
    let added = ["a", "b", "a"].map { tools.add(call($0), turnID: "t", watcherID: "w") }
    #expect(added == [true, true, false])
    _ = tools.settle("a", .init(output: "1", error: ""))
    #expect(!tools.isSettled)
    _ = tools.settle("b", .init(output: "", error: "gone"))
    #expect(tools.isSettled)
    #expect(tools.takeAll().map { $0.result?.told } == ["1", "The tool failed: gone"])
  }

  @Test func lateAndSecondResultsAreDropped() {
    var tools = PendingTools()
    _ = tools.add(call("a"), turnID: "t", watcherID: nil)
    #expect(tools.settle("a", .init(output: "1", error: "")) != nil)
    #expect(tools.settle("a", .init(output: "2", error: "")) == nil)
    #expect(tools.settle("never made", .init(output: "", error: "")) == nil)
    #expect(tools.calls.first?.result?.output == "1")
  }
}
