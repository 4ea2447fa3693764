import Networking
import Simulation
import Testing

@testable import Providers

@Suite struct OpenAICompatibleLanguageModelTests {
  private func events(
    of server: ScriptedHTTPServer, _ runtime: any Runtime,
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

  fileprivate let usage =
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
      await events(of: ScriptedHTTPServer(runtime, pieces), runtime)
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
      await events(of: ScriptedHTTPServer(runtime, fragments + [done]), runtime)
    }
    #expect(
      result
        == .success([
          .toolCall(ModelToolCall(id: "c7", name: "lookup", arguments: #"{"order":"1042"}"#)),
          .finished(ModelUsage()),
        ]))
  }

  @Test func aNameThatEveryFragmentRepeatsIsOneName() throws {
    let fragments = [#"{\"order\":"#, #"\"1042\"}"#].map {
      #"data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c7","function":{"name":"#
        + #""lookup","arguments":"\#($0)"}}]}}]}"# + "\n\n"
    }
    let result = try simulated { runtime in
      await events(of: ScriptedHTTPServer(runtime, fragments + [done]), runtime)
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
      let server = ScriptedHTTPServer(runtime, [done])
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
        of: ScriptedHTTPServer(runtime, status: 429, headers: ["Retry-After": "7"], []), runtime)
    }
    #expect(limited == .failure(.rateLimited(retryAfter: .seconds(7))))
    let broken = try simulated { runtime in
      await events(of: ScriptedHTTPServer(runtime, status: 500, ["out of memory"]), runtime)
    }
    #expect(
      broken
        == .failure(.failed("The model server at localhost:11434 answered 500: out of memory")))
    let key = try simulated { runtime in
      await events(of: ScriptedHTTPServer(runtime, status: 401, ["bad key"]), runtime)
    }
    guard case .failure(.unavailable) = key else {
      Issue.record("a refused key is not unavailable: \(key)")
      return
    }
  }

  @Test func aServerThatNeverAnswersIsGivenUpAfterTheLimit() throws {
    let (result, waited) = try simulated { runtime in
      let start = runtime.now
      let result = await events(of: ScriptedHTTPServer(runtime, [], neverAnswers: true), runtime)
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
      await events(of: ScriptedHTTPServer(runtime, [delta("It")], hangs: true), runtime)
    }
    #expect(
      stalled
        == .failure(
          .timedOut("The model server at localhost:11434 stopped for 10000 ms in mid-answer.")))
    let cut = try simulated { runtime in
      await events(of: ScriptedHTTPServer(runtime, [delta("It")]), runtime)
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
      await events(of: ScriptedHTTPServer(runtime, [delta("Yes."), finish]), runtime)
    }
    #expect(result == .success([.text("Yes."), .finished(ModelUsage())]))
  }

  /// R30: a model that does not reason ignores `thinking`, also where its server refuses the field.
  @Test(arguments: [400, 422])
  func aFieldTheServerDoesNotKnowIsLeftOutFromThenOn(status: Int) throws {
    let (results, bodies) = try simulated { runtime in
      let server = ScriptedHTTPServer(
        runtime, [done],
        refusals: [
          (status, #"{"error":{"message":"Unrecognized request argument: reasoning_effort"}}"#)
        ])
      let model = OpenAICompatibleLanguageModel(
        transport: server, runtime: runtime, origin: Origin(host: "localhost", port: 1), model: "m",
        key: nil)
      let prompt = ModelPrompt(messages: [ModelMessage(.user, "Hi")], thinking: "high")
      var results: [Bool] = []
      for _ in 1...2 {
        do throws(ProviderError) {
          let reply = try await model.respond(to: prompt)
          results.append(try await reply.next() == .finished(ModelUsage()))
        } catch {
          results.append(false)
        }
      }
      return (results, server.requests.map { String(decoding: $0.body, as: UTF8.self) })
    }
    #expect(results == [true, true])
    #expect(bodies.map { $0.contains("reasoning_effort") } == [true, false, false])
  }

  @Test func aRefusalThatNamesNoFieldIsNotAskedAgain() throws {
    let (result, asked) = try simulated { runtime in
      let server = ScriptedHTTPServer(runtime, status: 400, ["context too long"])
      return (
        await events(
          of: server, runtime,
          prompt: ModelPrompt(messages: [ModelMessage(.user, "Hi")], thinking: "high")),
        server.requests.count
      )
    }
    #expect(asked == 1)
    #expect(
      result
        == .failure(.failed("The model server at localhost:11434 answered 400: context too long")))
  }
}
