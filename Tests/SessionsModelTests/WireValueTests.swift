import Foundation
import SessionsModel
import Testing

@Suite struct WireValueTests {
  private func refusal<Value: WireValue>(_ type: Value.Type, _ body: String) -> WireError? {
    do throws(WireError) {
      _ = try Value(bytes: Array(body.utf8))
      return nil
    } catch {
      return error
    }
  }

  @Test func anEmptyBodyIsACompleteCreateRequest() throws {
    #expect(try CreateSessionRequest(bytes: []) == CreateSessionRequest())
    #expect(try CreateSessionRequest(json: ["title": nil]) == CreateSessionRequest())
  }

  @Test func aFullCreateRequestComesBack() throws {
    let text = #"""
      {"agent":"a","call_id":"","custom":{"deep":[{"x":1.5}]},"description":"d","greeting":"hi",
      "id":"order-1042","incognito":true,"instructions":"i","keyterms":["k"],
      "model_overwrites":{"llm":"quick","max_output_tokens":9,"temperature":0.0,"thinking":"none",
      "verbosity":"low"},"project_id":"p","start_voice":true,"tags":{"plan":"pro"},"title":"t",
      "tool_timeout_ms":0,"tools":[{"description":"d","name":"n","parameters":{"type":"object"}}],
      "voice":"v"}
      """#
    let json = try JSONValue.parse(text)
    #expect(try CreateSessionRequest(json: json).json == json)
  }

  @Test(arguments: [
    (#"{"id":""}"#, WireError.Code.invalidID, "id"), (#"{"id":"a b"}"#, .invalidID, "a b"),
    (#"{"titel":"x"}"#, .unknownField, "titel"), (#"{"title":5}"#, .invalidField, "title"),
    (#"{"agent":"a","config_id":"b"}"#, .agentAndConfig, "not both"),
    (#"{"model_overwrites":{"thinking":"hard"}}"#, .invalidField, "minimal"),
    (#"{"model_overwrites":{"tempo":1}}"#, .unknownField, "tempo"),
    (#"{"tags":{"a":1}}"#, .invalidField, "tags.a"), (#"[]"#, .invalidField, "array"),
    (#"{"tools":[{"name":"a"},{"name":"a"}]}"#, .invalidField, "twice"),
    (#"{"start_voice":"yes"}"#, .invalidField, "start_voice"), (#"{"#, .invalidJSON, "byte 1"),
  ])
  func aWrongCreateRequestIsNamedFieldAndValue(
    _ body: String, _ code: WireError.Code, _ word: String
  ) {
    let error = refusal(CreateSessionRequest.self, body)
    #expect(error?.code == code)
    #expect(error?.message.contains(word) == true, "\(error?.message ?? "accepted")")
  }

  @Test(arguments: [
    (#"{"limit":0}"#, WireError.Code.limitOutOfRange), (#"{"limit":201}"#, .limitOutOfRange),
    (#"{"limit":"5"}"#, .limitOutOfRange), (#"{"filter":{"owner":"x"}}"#, .unknownField),
    (#"{"filter":{"text":{"$q":"a"},"project_id":"p"}}"#, .textWithProject),
    (#"{"sort":[{"field":"relevance","direction":-1}]}"#, .invalidField),
    (#"{"sort":[{"field":"title"}]}"#, .invalidField),
    (#"{"sort":[{"field":"updated_at","direction":1}]}"#, .invalidField),
    (#"{"filter":{"created_at":{"$gte":"today"}}}"#, .invalidField),
    (#"{"filter":{"created_at":{"$gt":"2026-01-01T00:00:00Z"}}}"#, .unknownField),
    (#"{"filter":{"state":"open"}}"#, .invalidField), (#"{"filter":{"state":5}}"#, .invalidField),
  ])
  func aWrongQueryIsRefused(_ body: String, _ code: WireError.Code) {
    #expect(refusal(SessionQueryRequest.self, body)?.code == code)
  }

  @Test func aFilterTakesAValueOrAnEquality() throws {
    let plain = try SessionFilter(json: ["state": "ended", "user_id": "a"])
    let equal = try SessionFilter(json: ["state": ["$eq": "ended"], "user_id": ["$eq": "a"]])
    #expect(plain == equal)
    #expect(plain.state == .ended)
  }

  @Test func aCommandIDIsASynonymOfTheRequestID() throws {
    #expect(try CreateResponseRequest(json: ["text": "x", "command_id": "c"]).requestID == "c")
    #expect(
      try CreateResponseRequest(json: ["text": "x", "command_id": "c", "request_id": "c"]).requestID
        == "c")
    #expect(
      refusal(CreateResponseRequest.self, #"{"text":"x","command_id":"c","request_id":"d"}"#)?.code
        == .invalidField)
    #expect(
      refusal(CreateResponseRequest.self, #"{"text":"x","request_id":"a b"}"#)?.code == .invalidID)
    #expect(refusal(CreateResponseRequest.self, #"{"text":""}"#)?.code == .invalidField)
  }

  @Test func aSessionOfANewerRouterIsReadAllTheSame() throws {
    let body = try SessionBody(json: [
      "id": "a", "agent_id": "x", "state": "live", "modality": "text", "user_id": "u",
      "created_at": "2026-01-01T00:00:00.123456789Z", "unheard_of": [1],
    ])
    #expect(body.id == "a")
    #expect(!body.isVoiceOn)
  }

  @Test func thinkingNoneIsALevel() {
    #expect(ModelOverwrites(thinking: .none).json == ["thinking": "none"])
    #expect(ModelOverwrites(llm: "x").thinking == nil)
  }

  @Test func errorsOfEveryRouterAreUnderstood() {
    func read(_ text: String) -> ErrorEnvelope {
      ErrorEnvelope(status: 404, body: Array(text.utf8))
    }
    let envelope = ErrorEnvelope(message: "m", type: "t", code: "c", docURL: "d")
    #expect(ErrorEnvelope(status: 404, body: envelope.json.serialized) == envelope)
    #expect(read(#"{"error":"old"}"#).message == "old")
    #expect(read("  gateway down \n").message == "gateway down")
    #expect(read("").message == "HTTP status 404")
  }

  @Test func aFrameIsAFlatObjectWithItsTypeAndNumber() throws {
    let frame = Frame(.heard, ["text": "hi"], seq: 7)
    #expect(frame.text == #"{"seq":7,"text":"hi","type":"heard"}"#)
    #expect(Frame(json: frame.json) == frame)
    #expect(frame.withoutSequence.text == #"{"text":"hi","type":"heard"}"#)
    #expect(Frame(json: ["text": "hi"]) == nil)
    #expect(Frame(json: .null) == nil)
  }

  @Test func wireValuesWorkInsideCodableTypes() throws {
    let response = AgentResponse(
      id: "r", sessionID: "s", status: .running, createdAt: Date(millisecondsSince1970: 1500))
    let data = try JSONEncoder().encode([response])
    #expect(try JSONDecoder().decode([AgentResponse].self, from: data) == [response])
  }
}
