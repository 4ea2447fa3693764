import Networking
import SessionsModel
import Simulation
import Stores
import Testing

@testable import AgentRouter

@Suite struct RouterResponsesTests {
  @Test func aRetryGivesTheFirstResponseAndStartsNoSecondTurn() throws {
    let harness = RouterHarness()
    try harness.send(.post, "", ["id": "one"], as: "anna")
    let body: JSONValue = ["text": "Where is order 1042?", "request_id": "r1"]
    let first = try harness.send(.post, "/one/responses", body, as: "anna")
    #expect(first.status == 202)
    let again = try harness.send(.post, "/one/responses", body, as: "anna")
    #expect(again.status == 200)
    #expect(again.json["id"] == first.json["id"])
    let other = try harness.send(
      .post, "/one/responses", ["text": "Something else", "command_id": "r1"], as: "anna")
    #expect(other.status == 409)
    #expect(other.code == "command_conflict")
    #expect(try harness.send(.get, "/one/responses", as: "anna").ids.count == 1)
  }

  @Test func aRequestReopensAnEndedSessionWithItsHistory() throws {
    let harness = RouterHarness()
    try harness.send(.post, "", ["id": "one"], as: "anna")
    try harness.send(.post, "/one/responses", ["text": "first"], as: "anna")
    try harness.send(.post, "/one/stop", as: "anna")
    #expect(try harness.send(.post, "/one/responses", ["text": "second"], as: "anna").status == 202)
    #expect(try harness.send(.get, "/one", as: "anna").json["state"] == "live")
    let directory = harness.directory
    let history = try harness.run {
      let holder = await directory.holders(ofID: "one").first as? ScriptedHolder
      return holder?.history.map(\.record.said) ?? []
    }
    #expect(history == ["first"])
  }

  @Test func responsesAndItemsPageOldestFirst() throws {
    let harness = RouterHarness()
    try harness.send(.post, "", ["id": "one"], as: "anna")
    for text in ["a", "b", "c"] {
      try harness.send(.post, "/one/responses", ["text": .string(text)], as: "anna")
    }
    var said: [String?] = []
    var cursor: String?
    repeat {
      let query = [("limit", "2")] + (cursor.map { [("cursor", $0)] } ?? [])
      let page = try harness.send(
        .get, "/one/responses", as: "anna", query: query.map { (name: $0.0, value: $0.1) })
      said += (page.json["items"]?.arrayValue ?? []).map { $0["said"]?.stringValue }
      cursor = page.json["next_cursor"]?.stringValue
    } while cursor != nil
    #expect(said == ["a", "b", "c"])

    let items = try harness.send(.get, "/one/responses/items", as: "anna").json["items"]
    #expect(items?.arrayValue?.compactMap { $0["text"]?.stringValue } == ["a", "b", "c"])
    let first = try #require(items?[0]?["response_id"]?.stringValue)
    let ofFirst = try harness.send(
      .get, "/one/responses/items", as: "anna", query: [("response_id", first)])
    #expect(ofFirst.json["items"]?.arrayValue?.count == 1)
  }

  @Test func aMessageWrittenToTheChannelIsKeptAndShownToThoseWhoAsked() throws {
    let harness = RouterHarness()
    try harness.send(.post, "", ["id": "one"], as: "anna")
    let watching = try harness.open("one", query: [("channel", "true")])
    let other = try harness.open("one")
    let written = try harness.send(.post, "/one/channel/messages", ["text": "note"], as: "anna")
    #expect(written.status == 201)
    #expect(written.json["user_id"] == "anna")
    let channel = try harness.send(.get, "/one/channel", as: "anna").json
    #expect(channel["cid"] == "agent:assistant-one")
    #expect(channel["messages"] == [written.json])
    #expect(
      try harness.send(.get, "/one/channel/messages", as: "anna").json["items"] == [written.json])
    harness.runtime.run(for: .milliseconds(1))
    #expect(watching.frames.map(\.type) == [.messageNew])
    #expect(other.frames.isEmpty)
    #expect(try harness.send(.get, "/one/responses", as: "anna").ids.isEmpty)
  }

  @Test func anAgentWithoutAChannelHasNone() throws {
    let harness = RouterHarness()
    try harness.send(.post, "", ["id": "one", "agent": "plain"], as: "anna")
    #expect(try harness.send(.get, "/one/channel", as: "anna").code == "channel_not_found")
  }
}
