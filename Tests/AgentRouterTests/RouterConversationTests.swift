import Networking
import Providers
import SessionsModel
import Simulation
import Testing

@testable import AgentRouter

/// A written conversation from the REST interface to the model and back.
@Suite struct RouterConversationTests {
  private static let answers = ["Where is order 1042?": "It left this morning."]

  private func texts(_ answer: Answer, _ key: String) -> [String] {
    (answer.json["items"]?.arrayValue ?? []).compactMap { $0[key]?.stringValue }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func aQuestionIsAnsweredShownAndKept(_ seed: UInt64) throws {
    let harness = RouterHarness(seed: seed, answers: Self.answers)
    try harness.send(.post, "", ["id": "one"], as: "anna")
    let socket = try harness.open("one", query: [("v", "2")])
    let asked = try harness.send(
      .post, "/one/responses", ["text": "Where is order 1042?", "request_id": "r1"], as: "anna")
    #expect(asked.status == 202)
    harness.runtime.run(for: .seconds(2))

    let turn = try #require(asked.json["id"]?.stringValue)
    let frames = socket.frames
    let deltas = frames.filter { $0.type == .responseDelta }
    #expect(deltas.compactMap { $0["text"]?.stringValue }.joined() == "It left this morning.")
    #expect(deltas.allSatisfy { $0.turnID == turn && $0.requestID == "r1" })
    #expect(frames.last { $0.type == .responded }?["pending_work"] == false)
    let numbers = frames.compactMap(\.seq)
    #expect(numbers == numbers.sorted())

    // The client's own fold agrees with the state the router sends, after each frame.
    var fold = Conversation()
    for frame in frames {
      fold.apply(frame)
      if frame.type == .sessionState {
        #expect(frame["state"]?.stringValue == fold.state.name, "seed \(seed)")
      }
    }
    #expect(fold.state == .idle)

    let listed = try harness.send(.get, "/one/responses", as: "anna")
    #expect(texts(listed, "status") == ["completed"])
    let items = try harness.send(.get, "/one/responses/items", as: "anna")
    #expect(texts(items, "kind") == ["said", "answer"])
    #expect(texts(items, "text") == ["Where is order 1042?", "It left this morning."])
    let channel = try harness.send(.get, "/one/channel/messages", as: "anna")
    #expect(texts(channel, "text") == ["Where is order 1042?", "It left this morning."])
    #expect(texts(channel, "role") == ["user", "assistant"])
  }

  @Test func aReopenedSessionRemembersWhatWasSaid() throws {
    let harness = RouterHarness(answers: Self.answers)
    try harness.send(.post, "", ["id": "one"], as: "anna")
    try harness.send(
      .post, "/one/responses", ["text": "Where is order 1042?"], as: "anna")
    harness.runtime.run(for: .seconds(2))
    try harness.send(.post, "/one/stop", as: "anna")
    try harness.send(.post, "/one/responses", ["text": "Thank you."], as: "anna")
    harness.runtime.run(for: .seconds(2))
    let model = try #require(
      harness.environment.providers.languageModel() as? ScriptedLanguageModel)
    let said = try #require(model.prompts.last).messages.map(\.content)
    #expect(
      Array(said.suffix(3)) == ["Where is order 1042?", "It left this morning.", "Thank you."])
    #expect(try harness.send(.get, "/one", as: "anna").json["state"] == "live")
  }
}
