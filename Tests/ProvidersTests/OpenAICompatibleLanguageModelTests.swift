import Networking
import Simulation
import Synchronization
import Testing

@testable import Providers

/// A server of chat completions whose answer a test writes, in pieces.
private final class ScriptedServer: Transport {
  private let status: Int
  private let headers: HTTPHeaders
  private let pieces: [String]
  /// After the last piece the body stays open instead of ending.
  private let hangs: Bool
  private let neverAnswers: Bool
  private let runtime: any Runtime
  private let asked = Mutex<HTTPRequest?>(nil)

  init(
    _ runtime: any Runtime, status: Int = 200, headers: HTTPHeaders = [:], _ pieces: [String],
    hangs: Bool = false, neverAnswers: Bool = false
  ) {
    self.runtime = runtime
    self.status = status
    self.headers = headers
    self.pieces = pieces
    self.hangs = hangs
    self.neverAnswers = neverAnswers
  }

  var request: HTTPRequest? { asked.withLock { $0 } }

  func request(_ request: HTTPRequest, to origin: Origin, timeout: Duration)
    async throws(TransportError) -> HTTPResponse
  {
    throw .unreachable(detail: "only streams are scripted")
  }

  func stream(_ request: HTTPRequest, to origin: Origin, timeout: Duration)
    async throws(TransportError) -> HTTPResponseStream
  {
    asked.withLock { $0 = request }
    if neverAnswers { try await waitForEver() }
    let next = Mutex(0)
    return HTTPResponseStream(status: status, headers: headers) {
      () async throws(TransportError) -> [UInt8]? in
      let index = next.withLock { index in
        defer { index += 1 }
        return index
      }
      if index < self.pieces.count { return Array(self.pieces[index].utf8) }
      if self.hangs { try await self.waitForEver() }
      return nil
    }
  }

  func openWebSocket(_ request: WebSocketRequest, timeout: Duration)
    async throws(TransportError) -> any WebSocketConnection
  {
    throw .unreachable(detail: "only streams are scripted")
  }

  private func waitForEver() async throws(TransportError) {
    do {
      try await runtime.sleep(for: .seconds(100_000))
    } catch {
      throw .cancelled
    }
  }
}

@Suite struct OpenAICompatibleLanguageModelTests {
  private func events(
    of server: ScriptedServer, _ runtime: any Runtime,
    prompt: ModelPrompt = ModelPrompt(messages: [ModelMessage(.user, "Hi")])
  ) async -> Result<[ModelEvent], ProviderError> {
    let model = OpenAICompatibleLanguageModel(
      transport: server, runtime: runtime,
      origin: Origin(host: "localhost", port: 11_434, basePath: "/v1"), model: "tiny", key: "k")
    do throws(ProviderError) {
      let reply = try await model.respond(to: prompt)
      var events: [ModelEvent] = []
      while let event = try await reply.next() { events.append(event) }
      return .success(events)
    } catch {
      return .failure(error)
    }
  }

  private func delta(_ text: String) -> String {
    #"data: {"choices":[{"index":0,"delta":{"content":"\#(text)"}}]}"# + "\n\n"
  }

  private let usage =
    #"data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":4}}}"#
    + "\n\n"
  private let done = "data: [DONE]\n\n"

  @Test(arguments: [1, 3, 1_000])
  func deltasAndUsageComeHoweverTheNetworkCutsThem(length: Int) throws {
    let stream = Array(delta("It is ") + ": comment\n\n" + delta("Paris.") + usage + done)
    let pieces = stride(from: 0, to: stream.count, by: length).map {
      String(stream[$0..<min($0 + length, stream.count)])
    }
    let result = try simulated { runtime in
      await events(of: ScriptedServer(runtime, pieces), runtime)
    }
    #expect(
      result
        == .success([
          .text("It is "), .text("Paris."),
          .finished(ModelUsage(inputTokens: 9, cachedInputTokens: 4, outputTokens: 2)),
        ]))
  }

  @Test func fragmentsOfAToolCallAreOneCall() throws {
    let fragments = [
      #"{"index":0,"id":"c7","function":{"name":"lookup","arguments":""}}"#,
      #"{"index":0,"function":{"arguments":"{\"order\":"}}"#,
      #"{"index":0,"function":{"arguments":"\"1042\"}"}}"#,
    ].map { #"data: {"choices":[{"delta":{"tool_calls":[\#($0)]}}]}"# + "\n\n" }
    let result = try simulated { runtime in
      await events(of: ScriptedServer(runtime, fragments + [done]), runtime)
    }
    #expect(
      result
        == .success([
          .toolCall(ModelToolCall(id: "c7", name: "lookup", arguments: #"{"order":"1042"}"#)),
          .finished(ModelUsage()),
        ]))
  }

  @Test func theRequestCarriesConversationToolsAndChoice() throws {
    let request = try simulated { runtime in
      let server = ScriptedServer(runtime, [done])
      let tool = ModelTool(name: "lookup", description: "d", parameters: #"{"type":"object"}"#)
      _ = await events(
        of: server, runtime,
        prompt: ModelPrompt(
          messages: [ModelMessage(.system, "Be brief."), ModelMessage(.user, "Hi")],
          tools: [tool], toolChoice: .tool(name: "lookup"), temperature: 0, thinking: "high"))
      return server.request
    }
    let body = String(decoding: try #require(request).body, as: UTF8.self)
    for part in [
      #""model":"tiny""#, #""stream":true"#, #""temperature":0"#, #""reasoning_effort":"high""#,
      #""tool_choice":{"function":{"name":"lookup"},"type":"function"}"#,
      #"{"content":"Be brief.","role":"system"}"#,
    ] {
      #expect(body.contains(part))
    }
    #expect(request?.path == "/chat/completions")
    #expect(request?.headers["authorization"] == "Bearer k")
  }

  @Test func refusalsSayWhatIsWrong() throws {
    let limited = try simulated { runtime in
      await events(
        of: ScriptedServer(runtime, status: 429, headers: ["Retry-After": "7"], []), runtime)
    }
    #expect(limited == .failure(.rateLimited(retryAfter: .seconds(7))))
    let broken = try simulated { runtime in
      await events(of: ScriptedServer(runtime, status: 500, ["out of memory"]), runtime)
    }
    #expect(
      broken
        == .failure(.failed("The model server at localhost:11434 answered 500: out of memory")))
    let key = try simulated { runtime in
      await events(of: ScriptedServer(runtime, status: 401, ["bad key"]), runtime)
    }
    guard case .failure(.unavailable) = key else {
      Issue.record("a refused key is not unavailable: \(key)")
      return
    }
  }

  @Test func aServerThatNeverAnswersIsGivenUpAfterTheLimit() throws {
    let (result, waited) = try simulated { runtime in
      let start = runtime.now
      let result = await events(of: ScriptedServer(runtime, [], neverAnswers: true), runtime)
      return (result, runtime.now - start)
    }
    #expect(waited == .seconds(10))
    guard case .failure(.timedOut) = result else {
      Issue.record("not a time-out: \(result)")
      return
    }
  }

  @Test func aStreamThatStopsOrEndsInMidAnswerIsAFailure() throws {
    let stalled = try simulated { runtime in
      await events(of: ScriptedServer(runtime, [delta("It")], hangs: true), runtime)
    }
    #expect(
      stalled
        == .failure(
          .timedOut("The model server at localhost:11434 stopped for 10000 ms in mid-answer.")))
    let cut = try simulated { runtime in
      await events(of: ScriptedServer(runtime, [delta("It")]), runtime)
    }
    #expect(
      cut
        == .failure(
          .failed(
            "The model server at localhost:11434 ended its answer before it was complete.")))
  }

  @Test func anAnswerWithoutTheClosingMarkIsCompleteWhenItsReasonIsGiven() throws {
    let finish = #"data: {"choices":[{"delta":{},"finish_reason":"stop"}]}"# + "\n\n"
    let result = try simulated { runtime in
      await events(of: ScriptedServer(runtime, [delta("Yes."), finish]), runtime)
    }
    #expect(result == .success([.text("Yes."), .finished(ModelUsage())]))
  }
}
