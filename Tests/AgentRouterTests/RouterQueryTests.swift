import Networking
import SessionsModel
import Simulation
import Stores
import Testing

@testable import AgentRouter

@Suite struct RouterQueryTests {
  private func harness(_ count: Int) throws -> RouterHarness {
    let harness = RouterHarness()
    for number in 1...count {
      try harness.send(
        .post, "", ["id": .string("s\(number)"), "title": .string("Order \(number)")],
        as: number.isMultiple(of: 2) ? "anna" : "bert")
      // Each is active one moment later than the one before.
      harness.runtime.run(for: .milliseconds(10))
    }
    return harness
  }

  @Test func aDeviceFindsItsOwnWhateverUserItNames() throws {
    let harness = try harness(4)
    #expect(try harness.send(.post, "/query", as: "anna").ids == ["s4", "s2"])
    let filter: JSONValue = ["filter": ["user_id": "bert"]]
    let narrowed = try harness.send(.post, "/query", filter, as: "anna")
    #expect(narrowed.status == 200)
    #expect(narrowed.ids == ["s4", "s2"])
    #expect(try harness.send(.post, "/query", filter).ids == ["s3", "s1"])
    #expect(try harness.send(.post, "/query").ids == ["s4", "s3", "s2", "s1"])
  }

  @Test func pagesAreFollowedToTheEnd() throws {
    let harness = try harness(5)
    var cursor: JSONValue?
    var seen: [[String]] = []
    repeat {
      let page = try harness.send(.post, "/query", ["limit": 2, "cursor": cursor ?? .null])
      seen.append(page.ids)
      cursor = page.json["next_cursor"]
      #expect(page.json["has_more"] == .bool(cursor != nil))
    } while cursor != nil
    #expect(seen == [["s5", "s4"], ["s3", "s2"], ["s1"]])
  }

  @Test func aCursorIsGoodForItsQueryOnly() throws {
    let harness = try harness(3)
    let page = try harness.send(.post, "/query", ["limit": 1])
    let cursor = try #require(page.json["next_cursor"])
    let other: JSONValue = ["limit": 1, "cursor": cursor, "filter": ["state": "live"]]
    #expect(try harness.send(.post, "/query", other).code == "invalid_cursor")
    #expect(
      try harness.send(.post, "/query", ["limit": 1, "cursor": cursor], as: "anna").code
        == "invalid_cursor")
    for wrong in ["x", "e30", "WyJhIixbXV0", "%"] {
      let answer = try harness.send(.post, "/query", ["cursor": .string(wrong)])
      #expect(answer.code == "invalid_cursor", "\(wrong)")
    }
  }

  @Test func limitsBeyondTheRangeAreRefused() throws {
    let harness = try harness(1)
    for limit in [0, 201, -1] {
      #expect(
        try harness.send(.post, "/query", ["limit": .int(limit)]).code == "limit_out_of_range")
    }
    for limit in ["0", "201", "x"] {
      let answer = try harness.send(.get, "/s1/responses", query: [("limit", limit)])
      #expect(answer.code == "limit_out_of_range")
    }
    #expect(try harness.send(.get, "/s1/responses/items", query: [("limit", "1000")]).status == 200)
    #expect(try harness.send(.get, "/s1/responses/items", query: [("limit", "1001")]).status == 400)
  }

  @Test func titlesAreSearchedWhateverTheirCase() throws {
    let harness = try harness(3)
    let query: JSONValue = ["filter": ["text": ["$q": "oRDER 2"]]]
    #expect(try harness.send(.post, "/query", query).ids == ["s2"])
  }
}
