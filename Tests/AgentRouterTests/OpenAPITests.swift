import Networking
import SessionsModel
import Simulation
import Testing

@testable import AgentRouter

/// The description at `/openapi.json` is the code's: every route, every error, every field of a
/// body, and nothing else.
@Suite struct OpenAPITests {
  private static let requests: [(schema: String, type: any WireValue.Type)] = [
    ("CreateSessionRequest", CreateSessionRequest.self),
    ("UpdateSessionRequest", UpdateSessionRequest.self),
    ("ModelOverwrites", ModelOverwrites.self), ("SessionTool", SessionTool.self),
    ("ToolApproval", ToolApproval.self), ("SessionQuery", SessionQueryRequest.self),
    ("SessionFilter", SessionFilter.self), ("CreateResponseRequest", CreateResponseRequest.self),
    ("SayRequest", SayRequest.self), ("InterruptRequest", InterruptRequest.self),
    ("WriteMessageRequest", WriteMessageRequest.self),
    ("ForkSessionRequest", ForkSessionRequest.self), ("RewindRequest", RewindRequest.self),
    ("CreatePairingRequest", CreatePairingRequest.self),
    ("RedeemPairingRequest", RedeemPairingRequest.self),
  ]

  private func properties(of schema: String) -> Set<String> {
    Set(
      OpenAPIDocument.json["components"]?["schemas"]?[schema]?["properties"]?.objectValue?.keys
        .map { $0 } ?? [])
  }

  @Test func itIsServedToEveryone() throws {
    let answer = try RouterHarness().send(HTTPRequest(.get, "/openapi.json"))
    #expect(answer.status == 200)
    #expect(answer.json["openapi"] == "3.1.0")
    #expect(answer.json == OpenAPIDocument.json)
  }

  @Test func everyRouteIsInItAndNothingElse() {
    var described: Set<String> = []
    for (path, item) in OpenAPIDocument.json["paths"]?.objectValue ?? [:] {
      for method in item.objectValue?.keys.map({ $0 }) ?? [] {
        described.insert("\(method.uppercased()) \(path)")
      }
    }
    #expect(described == Set(Route.allCases.map { "\($0.method.rawValue) \($0.template)" }))
    #expect(described.count == Route.allCases.count, "two routes have one method and path")
  }

  @Test(arguments: Route.allCases) func everyRouteIsFoundByItsOwnPath(_ route: Route) {
    let path = route.template.replacing("{id}", with: "one").replacing("{target}", with: "one")
      .replacing("{cid}", with: "two")
    let match = RouteMatch(route.method, path)
    #expect(match?.route == route)
    #expect(match?.parameter == (route.template.contains("{") ? "one" : ""))
    #expect(match?.secondParameter == (route.template.contains("{cid}") ? "two" : ""))
    #expect(RouteMatch(route.method, path + "/more") == nil)
  }

  /// Found by schemathesis: such a mark joins the slash before it to one character.
  @Test func aParameterMayBeginWithACombiningMark() {
    let match = RouteMatch(.get, "/v1/llm/routes/\u{301}x")
    #expect(match?.route == .getModelRoute && match?.parameter == "\u{301}x")
  }

  @Test(arguments: Route.allCases) func everyRouteIsAnswered(_ route: Route) throws {
    let path = route.template.replacing("{id}", with: "one").replacing("{target}", with: "one")
    var request = HTTPRequest(route.method, path)
    let open: [Route: Int] = [.health: 503, .openAPI: 200, .redeemPairing: 400]
    #expect(try RouterHarness().send(request).status == open[route] ?? 401)
    request.headers["X-Api-Key"] = "first"
    request.headers["Stream-Auth-Type"] = "server"
    let harness = RouterHarness()
    request.headers["Authorization"] = "Bearer " + harness.token(user: nil)
    let answer = try harness.send(request)
    #expect((answer.code == "route_not_found") == route.isSocket)
    let allowed = route.operation.allErrors.map(\.rawValue)
    if let code = answer.code { #expect(allowed.contains(code), "\(code) is not described") }
  }

  @Test func everyErrorCodeIsInItAndNothingElse() {
    var described: Set<APIError.Code> = []
    for route in Route.allCases { described.formUnion(route.operation.allErrors) }
    // What only calls and rewinds answer with is described with their routes.
    // Said on the events socket only, where a device asks to join the call.
    let pending: Set<APIError.Code> = [.voiceOff]
    #expect(described.union(pending) == Set(APIError.Code.allCases))
  }

  /// A body with a field nobody knows is refused with the names that are known.
  @Test(arguments: requests.indices) func everyFieldOfARequestIsInIt(_ index: Int) throws {
    let (schema, type) = Self.requests[index]
    let nonce = JSONValue.string(String(repeating: "n", count: 16))
    var known: Set<String>?
    for body: JSONValue in [
      ["~": 1], ["~": 1, "text": "t"], ["~": 1, "name": "n"], ["~": 1, "response_id": "r"],
      ["~": 1, "user_id": "u"], ["~": 1, "nonce": nonce, "proof": "p"],
    ] {
      do throws(WireError) {
        _ = try type.init(json: body)
      } catch  where error.code == .unknownField && error.message.contains("~") {
        let names = try #require(error.message.split(separator: "known are ").last)
        known = Set(names.dropLast().split(separator: ", ").map(String.init))
      } catch {
        continue
      }
    }
    #expect(properties(of: schema) == known)
  }

  @Test func everySchemaNamedExists() {
    let schemas = OpenAPIDocument.json["components"]?["schemas"]?.objectValue ?? [:]
    func names(in value: JSONValue) -> [String] {
      switch value {
      case .array(let values): values.flatMap(names)
      case .object(let fields):
        fields.flatMap { key, value in
          key == "$ref"
            ? [String(value.stringValue?.split(separator: "/").last ?? "")] : names(in: value)
        }
      default: []
      }
    }
    #expect(Set(names(in: OpenAPIDocument.json)).subtracting(schemas.keys) == [])
  }

  @Test func everyFieldOfAnAnswerIsInIt() throws {
    let harness = RouterHarness(answers: ["hello": "hi"])
    let session = try harness.send(.post, "", ["id": "one", "title": "t", "custom": ["a": 1]]).json
    let turn = try harness.send(.post, "/one/responses", ["text": "hello"]).json
    harness.runtime.run(for: .seconds(1))
    let items = try harness.send(.get, "/one/responses/items").json
    let channel = try harness.send(.get, "/one/channel").json
    for (name, value) in [
      ("Session", session), ("AgentResponse", turn), ("AgentResponseItemPage", items),
      ("AgentResponseItem", items["items"]?[0] ?? .null), ("Channel", channel),
      ("TranscriptMessage", channel["messages"]?[0] ?? .null),
    ] {
      let fields = try #require(value.objectValue, "no \(name)").keys
      #expect(Set(fields).subtracting(properties(of: name)) == [], "of \(name)")
    }
  }
}
