import Networking
import Providers
import SessionsModel

/// What a client or an operator may ask about the router itself.
extension Router {
  /// 200 while every kind of provider has somebody to ask, else 503; open to everyone.
  func health() -> HTTPResponse {
    let providers = environment.providers
    let found = [
      "llm": providers.languageModel() != nil, "stt": providers.speechToText() != nil,
      "tts": providers.textToSpeech() != nil,
    ]
    let isHealthy = found.values.allSatisfy { $0 }
    return HTTPResponse(
      status: isHealthy ? 200 : 503,
      json: [
        "status": .string(isHealthy ? "ok" : "degraded"),
        "dependencies": .object(found.mapValues { .string($0 ? "ok" : "missing") }),
      ])
  }

  /// The description of this interface; open to everyone.
  func description() -> HTTPResponse {
    HTTPResponse(
      status: 200, headers: ["Content-Type": "application/json"], body: OpenAPIDocument.serialized)
  }

  /// The agents, as a bare array; `name` selects one.
  func configurations(_ call: APICall) throws(APIError) -> HTTPResponse {
    try call.requireBackend()
    let name = call.request.queryValue("name")
    let agents = environment.configuration.agents.filter { name == nil || $0.name == name }
    return HTTPResponse(
      json: .array(
        agents.map { agent in
          var writer = FieldWriter()
          writer.set("id", agent.configID ?? agent.name)
          writer.set("name", agent.name)
          writer.set("instructions", agent.instructions)
          writer.set("greeting", agent.greeting)
          writer.set("llm", agent.llm)
          writer.set("stt", agent.stt)
          writer.set("tts", agent.tts)
          writer.set("voice", agent.voice)
          writer.set("tags", agent.tags)
          writer.set("tools", .array(agent.tools.map(\.json)))
          return writer.json
        }))
  }

  /// 200 when a model's name leads to a provider, else 404.
  func modelRoute(to target: String, _ call: APICall) throws(APIError) -> HTTPResponse {
    try call.requireBackend()
    guard environment.providers.languageModel(target) != nil else {
      throw APIError(.agentNotFound, "No provider of this router is called \(target).")
    }
    return HTTPResponse(json: ["target": .string(target)])
  }
}
