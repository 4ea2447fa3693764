import Foundation
import Networking
import SessionsModel
import Simulation
import Synchronization
import Testing

@testable import Providers

/// A realtime server in memory: what follows `response.create` is a test's.
private final class ScriptedRealtimeServer: HTTPHandler {
  enum Step: Sendable {
    case send(JSONValue)
    case text(String)
    case close
  }

  private let script: [Step]
  private let refusal: HTTPResponse?
  private let log = Mutex((upgrades: [HTTPRequest](), events: [JSONValue](), isClosed: false))

  init(refusal: HTTPResponse? = nil, _ script: [Step]) {
    self.script = script
    self.refusal = refusal
  }

  var upgrade: HTTPRequest? { log.withLock { $0.upgrades.last } }
  var events: [JSONValue] { log.withLock { $0.events } }
  var isClosed: Bool { log.withLock { $0.isClosed } }

  func respond(to request: HTTPRequest) async -> HTTPResponse { HTTPResponse(status: 404) }

  func upgrade(_ request: HTTPRequest) -> WebSocketUpgrade {
    log.withLock { $0.upgrades.append(request) }
    if let refusal { return .refuse(refusal) }
    return .accept { socket in
      while case .message(.text(let text))? = await socket.receive() {
        guard let event = try? JSONValue.parse(text) else { continue }
        self.log.withLock { $0.events.append(event) }
        if event["type"]?.stringValue == "response.create" { await self.play(on: socket) }
      }
      self.log.withLock { $0.isClosed = true }
    }
  }

  private func play(on socket: any WebSocketConnection) async {
    for step in script {
      switch step {
      case .send(let event): await socket.send(.text(event.serializedText))
      case .text(let text): await socket.send(.text(text))
      case .close: await socket.close(code: 4_000, reason: "going away")
      }
    }
  }
}

@Suite struct OpenAIRealtimeModelTests {
  private static let name = "The realtime server at api:443"

  private static func sound(_ samples: [Int16]) -> JSONValue {
    let data = Data(LittleEndianSamples.bytes(of: samples))
    return [
      "type": "response.output_audio.delta", "delta": .string(data.base64EncodedString()),
    ]
  }

  private static func words(_ text: String) -> JSONValue {
    ["type": "response.output_audio_transcript.delta", "delta": .string(text)]
  }

  private static let done: JSONValue = [
    "type": "response.done",
    "response": [
      "status": "completed",
      "usage": [
        "input_tokens": 9, "output_tokens": 4, "input_token_details": ["cached_tokens": 2],
      ],
    ],
  ]

  private func ask(
    _ server: ScriptedRealtimeServer, _ runtime: any Runtime,
    _ prompt: ModelPrompt = ModelPrompt(messages: [ModelMessage(.user, "Hi")]), isUp: Bool = true
  ) async -> (events: [ModelEvent], error: ProviderError?) {
    let model = OpenAIRealtimeModel(
      transport: InMemoryTransport(
        handler: server, runtime: runtime,
        conditions: LinkConditions(state: isUp ? .up : .down)),
      runtime: runtime, origin: Origin(secure: true, host: "api", port: 443, basePath: "/v1"),
      model: "talker", key: "k", voice: "marin")
    var events: [ModelEvent] = []
    do throws(ProviderError) {
      let reply = try await model.respond(to: prompt)
      while let event = try await reply.next() { events.append(event) }
      return (events, nil)
    } catch {
      return (events, error)
    }
  }

  @Test func anAnswerIsItsSoundAndItsWords() throws {
    let (answer, server) = try simulated { runtime in
      let server = ScriptedRealtimeServer([
        .send(["type": "session.created"]), .send(Self.words("It is ")),
        .send(Self.sound([1, -1])), .send(Self.words("Paris.")), .send(Self.sound([256])),
        .send(Self.done),
      ])
      let answer = await ask(server, runtime)
      try await runtime.sleep(for: .seconds(1))
      return (answer, server)
    }
    #expect(answer.error == nil)
    #expect(
      answer.events == [
        .text("It is "), .speech([1, -1], rate: 24_000), .text("Paris."),
        .speech([256], rate: 24_000),
        .finished(ModelUsage(inputTokens: 9, cachedInputTokens: 2, outputTokens: 4)),
      ])
    #expect(server.upgrade?.path == "/v1/realtime")
    #expect(server.upgrade?.queryValue("model") == "talker")
    #expect(server.upgrade?.headers["authorization"] == "Bearer k")
    #expect(server.isClosed)
  }

  @Test func theConversationAndThePersonsSoundAreSent() throws {
    let events = try simulated { runtime in
      let server = ScriptedRealtimeServer([.send(Self.done)])
      let call = ModelToolCall(id: "c1", name: "lookup", arguments: "{}")
      _ = await ask(
        server, runtime,
        ModelPrompt(
          messages: [
            ModelMessage(.system, "Be brief."), ModelMessage(.user, "Where is it?"),
            ModelMessage(.assistant, "Let me see.", toolCalls: [call]),
            ModelMessage(.tool, "In Utrecht.", toolCallID: "c1"),
            ModelMessage(.user, "And now?", sound: [0, 300, 600, 900]),
          ],
          tools: [ModelTool(name: "lookup", description: "d", parameters: #"{"type":"object"}"#)],
          toolChoice: .required, maxOutputTokens: 100, thinking: "low"))
      return server.events
    }
    let session = try #require(events.first?["session"])
    #expect(session["instructions"] == "Be brief.")
    #expect(session["output_modalities"] == ["audio"])
    #expect(session["audio"]?["input"]?["turn_detection"] == .null)
    #expect(session["audio"]?["output"]?["voice"] == "marin")
    #expect(session["max_output_tokens"] == 100)
    #expect(session["reasoning"]?["effort"] == "low")
    #expect(session["tool_choice"] == "required")
    #expect(session["tools"]?[0]?["name"] == "lookup")
    let items = events.dropFirst().dropLast().compactMap { $0["item"] }
    #expect(
      items.map { $0["type"]?.stringValue } == [
        "message", "message", "function_call", "function_call_output", "message",
      ])
    #expect(items[0]["content"]?[0] == ["type": "input_text", "text": "Where is it?"])
    #expect(items[1]["content"]?[0] == ["type": "output_text", "text": "Let me see."])
    #expect(items[3]["output"] == "In Utrecht.")
    let heard = try #require(items[4]["content"]?[0])
    #expect(heard["type"] == "input_audio")
    let bytes = try #require(Data(base64Encoded: heard["audio"]?.stringValue ?? ""))
    // 16 kHz became 24 kHz.
    #expect(LittleEndianSamples.samples(of: [UInt8](bytes)[...]) == [0, 200, 400, 600, 800, 900])
    #expect(events.last == ["type": "response.create"])
  }

  @Test func aCallOfATool() throws {
    let answer = try simulated { runtime in
      await ask(
        ScriptedRealtimeServer([
          .send([
            "type": "response.function_call_arguments.done", "call_id": "c1", "name": "lookup",
            "arguments": #"{"order":1}"#,
          ]), .send(Self.done),
        ]), runtime)
    }
    #expect(
      answer.events.first
        == .toolCall(ModelToolCall(id: "c1", name: "lookup", arguments: #"{"order":1}"#)))
  }

  @Test(
    arguments: [
      ([.text("{")], "sent an event that cannot be read: {"),
      ([.send(["type": "error", "error": ["message": "no such model"]])], "failed: no such model"),
      (
        [
          .send([
            "type": "response.done",
            "response": [
              "status": "failed", "status_details": ["error": ["message": "overloaded"]],
            ],
          ])
        ], "failed: overloaded"
      ),
      ([.send(words("It")), .close], "closed the connection before its answer was complete (4000"),
      (
        [.send(["type": "response.output_audio.delta", "delta": "?"])],
        "sent sound that is no base64"
      ),
      ([.send(words("It"))], "said nothing for 10000 ms."), ([], "said nothing for 10000 ms."),
    ] as [([ScriptedRealtimeServer.Step], String)])
  fileprivate func everyFaultIsToldInASentence(
    _ script: [ScriptedRealtimeServer.Step], _ words: String
  ) throws {
    let (answer, waited, isClosed) = try simulated { runtime in
      let server = ScriptedRealtimeServer(script)
      let start = runtime.now
      let answer = await ask(server, runtime)
      let waited = runtime.now - start
      try await runtime.sleep(for: .seconds(1))
      return (answer, waited, server.isClosed)
    }
    #expect(try #require(answer.error).description.hasPrefix("\(Self.name) \(words)"))
    #expect(waited <= .seconds(11))
    #expect(isClosed)
  }

  @Test(arguments: [401, 404, 429, 500])
  func aRefusalSaysWhatToDo(status: Int) throws {
    let answer = try simulated { runtime in
      await ask(
        ScriptedRealtimeServer(
          refusal: HTTPResponse(
            status: status, headers: ["Retry-After": "3"], body: Array("no".utf8)),
          []), runtime)
    }
    switch status {
    case 401: #expect(answer.error == .unavailable("\(Self.name) refused the key (401): no"))
    case 404:
      #expect(
        answer.error == .unavailable(#"\#(Self.name) does not know "talker" or the path: no"#))
    case 429: #expect(answer.error == .rateLimited(retryAfter: .seconds(3)))
    default: #expect(answer.error == .failed("\(Self.name) answered 500: no"))
    }
  }

  @Test func nobodyThereIsUnavailable() throws {
    let answer = try simulated { runtime in
      await ask(ScriptedRealtimeServer([]), runtime, isUp: false)
    }
    guard case .unavailable? = answer.error else { return #expect(answer.error == nil) }
  }

  @Test func aCutTakesTheAnswerBackAtTheServer() throws {
    let (error, types, isClosed) = try simulated { runtime in
      let server = ScriptedRealtimeServer([.send(Self.words("It"))])
      let model = OpenAIRealtimeModel(
        transport: InMemoryTransport(handler: server, runtime: runtime), runtime: runtime,
        origin: Origin(host: "api", port: 80), model: "talker", key: nil)
      let reply = try await model.respond(
        to: ModelPrompt(messages: [ModelMessage(.user, "Hi")]))
      _ = try await reply.next()
      await reply.cancel()
      var error: ProviderError?
      do throws(ProviderError) { _ = try await reply.next() } catch let cancelled {
        error = cancelled
      }
      try await runtime.sleep(for: .seconds(1))
      return (error, server.events.map { $0["type"]?.stringValue }, server.isClosed)
    }
    #expect(error == .cancelled)
    #expect(isClosed)
    #expect(types.contains("response.create"))
  }
}
