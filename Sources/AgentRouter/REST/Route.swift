import Networking

/// Every path of the REST interface with its method.
///
/// The dispatch, the description at `/openapi.json` and the tests go through these cases, so that
/// none of them can know a route the others do not.
enum Route: String, CaseIterable, Sendable {
  case health
  case openAPI
  case createSession
  case querySessions
  case getSession
  case updateSession
  case deleteSession
  case stopSession
  case startSessionVoice
  case stopSessionVoice
  case listResponses
  case createResponse
  case listResponseItems
  case forkSession
  case rewindSession
  case listMemories
  case forgetMemories
  case getUsage
  case setInstructions
  case changeSettings
  case respond
  case getChannel
  case listMessages
  case writeMessage
  case say
  case interrupt
  case getCommand
  case interruptCommand
  case createPairing
  case redeemPairing
  case listConfigs
  case getModelRoute
  case watchSession
  case openMedia
}

extension Route {
  /// The path with its parameters in braces, as OpenAPI writes it.
  var template: String {
    let session = "/v1/agents/sessions/{id}"
    return switch self {
    case .health: "/health"
    case .openAPI: "/openapi.json"
    case .createSession: "/v1/agents/sessions"
    case .querySessions: "/v1/agents/sessions/query"
    case .getSession, .updateSession, .deleteSession: session
    case .stopSession: session + "/stop"
    case .startSessionVoice, .stopSessionVoice: session + "/voice"
    case .listResponses, .createResponse: session + "/responses"
    case .listResponseItems: session + "/responses/items"
    case .forkSession: session + "/fork"
    case .rewindSession: session + "/rewind"
    case .listMemories, .forgetMemories: session + "/memories"
    case .getUsage: "/v1/agents/usage"
    case .setInstructions: session + "/instructions"
    case .changeSettings: session + "/settings"
    case .respond: session + "/respond"
    case .getChannel: session + "/channel"
    case .listMessages, .writeMessage: session + "/channel/messages"
    case .say: session + "/say"
    case .interrupt: session + "/interrupt"
    case .getCommand: session + "/commands/{cid}"
    case .interruptCommand: session + "/commands/{cid}/interrupt"
    case .createPairing: "/v1/pairings"
    case .redeemPairing: "/v1/pairings/redeem"
    case .listConfigs: "/v1/agents/configs"
    case .getModelRoute: "/v1/llm/routes/{target}"
    case .watchSession: session + "/events"
    case .openMedia: "/v1/calls/agent/{id}/media"
    }
  }

  var method: HTTPRequest.Method {
    switch self {
    case .health, .openAPI, .getSession, .listResponses, .listResponseItems, .getChannel,
      .listMessages, .listConfigs, .getModelRoute, .watchSession, .openMedia, .listMemories,
      .getUsage, .getCommand:
      .get
    case .createSession, .querySessions, .stopSession, .startSessionVoice, .createResponse,
      .writeMessage, .say, .interrupt, .forkSession, .rewindSession, .respond, .createPairing,
      .redeemPairing, .interruptCommand:
      .post
    case .updateSession, .changeSettings: .patch
    case .setInstructions: .put
    case .deleteSession, .stopSessionVoice, .forgetMemories: .delete
    }
  }

  /// The doors to sockets: an ordinary request finds no route there.
  var isSocket: Bool { self == .watchSession || self == .openMedia }
}

extension Route {
  /// The names in braces, in their order.
  var parameterNames: [String] {
    template.split(separator: "/").filter { $0.hasPrefix("{") }
      .map { String($0.dropFirst().dropLast()) }
  }
}

/// A route that a request names, with the values of its parameters.
struct RouteMatch: Equatable {
  var route: Route
  /// What stands for the first parameter in braces; empty where there is none.
  var parameter = ""
  /// What stands for the second one.
  var secondParameter = ""

  /// - Parameter path: percent-decoded.
  init?(_ method: HTTPRequest.Method, _ path: String) {
    // Not by characters: a slash and a combining mark after it are one of them.
    let parts = path.unicodeScalars.split(separator: "/").map(Substring.init)
    let candidates = Self.table[parts.count] ?? []
    // A path of words only wins over one with a parameter: `query` is no session's id.
    for entry in candidates where entry.route.method == method {
      guard let parameters = entry.match(parts) else { continue }
      self.init(
        route: entry.route, parameter: parameters.first ?? "",
        secondParameter: parameters.dropFirst().first ?? "")
      return
    }
    return nil
  }

  init(route: Route, parameter: String = "", secondParameter: String = "") {
    self.route = route
    self.parameter = parameter
    self.secondParameter = secondParameter
  }

  private struct Entry {
    var route: Route
    var words: [String]
    var parameterIndices: [Int]

    init(_ route: Route) {
      self.route = route
      let words = route.template.split(separator: "/").map(String.init)
      self.words = words
      parameterIndices = words.indices.filter { words[$0].hasPrefix("{") }
    }

    /// The parameters' values; nil when the path is another one.
    func match(_ parts: [Substring]) -> [String]? {
      for (index, part) in parts.enumerated() where !parameterIndices.contains(index) {
        guard words[index] == part else { return nil }
      }
      return parameterIndices.map { String(parts[$0]) }
    }
  }

  /// Routes by the count of their path's parts, those without a parameter first.
  private static let table: [Int: [Entry]] = Dictionary(
    grouping: Route.allCases.map(Entry.init).sorted {
      $0.parameterIndices.count < $1.parameterIndices.count
    }, by: \.words.count)
}
