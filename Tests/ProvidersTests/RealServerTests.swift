import Foundation
import Networking
import Testing

@testable import Providers

/// The clients against servers that nobody here wrote (`make test-servers`).
@Suite(.enabled(if: RealServers.ports != nil, "started by Tests/RealServers/run.py"), .serialized)
struct RealServerTests {
  @Test func aModelAnswersWordByWord() async throws {
    try await RealServers.run { servers in
      let model = try servers.model()
      let prompt = ModelPrompt(
        messages: [
          ModelMessage(.system, "You are a helpful assistant. Answer in one short sentence."),
          ModelMessage(.user, "What is the capital of France?"),
        ], maxOutputTokens: 40, temperature: 0, thinking: "low", verbosity: "low")
      let start = servers.runtime.now
      let reply = try await model.respond(to: prompt)
      var (words, pieces, first, usage) = ("", 0, 0.0, ModelUsage())
      while let event = try await reply.next() {
        switch event {
        case .text(let text):
          if pieces == 0 { first = (servers.runtime.now - start).milliseconds }
          pieces += 1
          words += text
        case .finished(let counted): usage = counted
        case .toolCall, .speech: Issue.record("a tool call nobody asked for")
        }
      }
      print("model: first word after \(first) ms, \(pieces) pieces, \(usage): \(words)")
      #expect(words.contains("Paris"))
      #expect(pieces > 3)
    }
  }

  @Test func aModelMakesTheCallItIsToldToMake() async throws {
    try await RealServers.run { servers in
      let tool = ModelTool(
        name: "lookup_order", description: "Tells where an order is",
        parameters:
          #"{"type":"object","properties":{"order_id":{"type":"string"}},"required":["order_id"]}"#)
      let reply = try await servers.model().respond(
        to: ModelPrompt(
          messages: [ModelMessage(.user, "Where is order 1042?")], tools: [tool],
          toolChoice: .tool(name: "lookup_order"), maxOutputTokens: 60, temperature: 0))
      var calls: [ModelToolCall] = []
      while let event = try await reply.next() {
        if case .toolCall(let call) = event { calls.append(call) }
      }
      let call = try #require(calls.first)
      print("model: \(call)")
      #expect(call.name == "lookup_order")
      let arguments = try JSONDecoder().decode(
        [String: String].self, from: Data(call.arguments.utf8))
      #expect(arguments["order_id"] != nil)
    }
  }

  @Test func aTakenBackAnswerLeavesTheServerForTheNextOne() async throws {
    try await RealServers.run { servers in
      let model = try servers.model()
      let prompt = ModelPrompt(
        messages: [ModelMessage(.user, "Count from one to two hundred in words.")],
        maxOutputTokens: 400, temperature: 0)
      let long = try await model.respond(to: prompt)
      _ = try await long.next()
      await long.cancel()
      let start = servers.runtime.now
      let next = try await model.respond(
        to: ModelPrompt(
          messages: [ModelMessage(.user, "Say hello.")], maxOutputTokens: 8, temperature: 0))
      var events = 0
      while try await next.next() != nil { events += 1 }
      print("model: the next answer after \((servers.runtime.now - start).milliseconds) ms")
      #expect(events > 0)
    }
  }

  @Test(arguments: ["transcription", "wyoming_stt"])
  func aRecordedQuestionIsHeard(server: String) async throws {
    try await RealServers.run { servers in
      let recogniser = try servers.recogniser(server)
      // The first request warms the server up.
      for question in ["capital-of-france", "days-in-a-week"] {
        let samples = try EmbeddedWorkers.question(question)
        let request = try await recogniser.begin()
        for start in stride(from: 0, to: samples.count, by: 512) {
          await request.append(Array(samples[start..<min(start + 512, samples.count)]))
        }
        let end = servers.runtime.now
        let words = try await request.finish()
        print("\(server): \(words) after \((servers.runtime.now - end).milliseconds) ms")
        let expected = question == "capital-of-france" ? "capital of france" : "days are in a week"
        #expect(words.text.lowercased().contains(expected))
      }
    }
  }

  @Test func twoPeopleAreHeardAtOnce() async throws {
    try await RealServers.run { servers in
      let recogniser = try servers.recogniser("wyoming_stt")
      let first = try await recogniser.begin()
      let second = try await recogniser.begin()
      await first.append(try EmbeddedWorkers.question("capital-of-france"))
      await second.append(try EmbeddedWorkers.question("days-in-a-week"))
      let texts = [try await second.finish().text, try await first.finish().text]
      #expect(texts[0].lowercased().contains("days are in a week"))
      #expect(texts[1].lowercased().contains("capital of france"))
    }
  }

  /// What a voice says is understood by a recogniser.
  @Test(arguments: ["speech", "wyoming_tts"])
  func whatIsSpokenIsUnderstood(server: String) async throws {
    try await RealServers.run { servers in
      let voice = try servers.voice(server)
      for sentence in ["The capital of France is Paris.", "A day has twenty four hours."] {
        let start = servers.runtime.now
        let reply = try await voice.speak(sentence, voice: "")
        var (samples, first, pieces) = ([Int16](), 0.0, 0)
        while let more = try await reply.next() {
          if pieces == 0 { first = (servers.runtime.now - start).milliseconds }
          pieces += 1
          samples += more
        }
        let usual = await voice.rate
        let rate = await reply.rate ?? usual
        let seconds = Double(samples.count) / Double(rate)
        print(
          "\(server): first sound after \(first) ms, \(pieces) pieces, \(seconds) s at \(rate) Hz")
        #expect((1.0...5.0).contains(seconds), "\(seconds) s of speech at \(rate) Hz")
        let request = try await servers.recogniser("wyoming_stt").begin()
        await request.append(RealServers.resampled(samples, from: rate))
        let heard = try await request.finish().text.lowercased()
        #expect(
          heard.contains(sentence.contains("France") ? "paris" : "hours"))
      }
    }
  }

  @Test func aModelTheServerDoesNotKnowIsToldOf() async throws {
    try await RealServers.run { servers in
      let voice = OpenAICompatibleTextToSpeech(
        transport: servers.transport, runtime: servers.runtime,
        origin: try servers.origin("transcription"), model: "tts-1", key: nil)
      let error = await #expect(throws: ProviderError.self) {
        _ = try await voice.speak("Hello.", voice: "")
      }
      print("\(error.map { "\($0)" } ?? "none")")
      guard case .unavailable(let sentence)? = error else { return #expect(error == nil) }
      #expect(sentence.contains("does not know \"tts-1\" or the path"))
    }
  }
}

/// Where the servers are, and the clients that speak to them.
final class RealServers: Sendable {
  static let ports: [String: Int]? = ProcessInfo.processInfo.environment["VOICE_REAL_SERVERS"]
    .flatMap { try? JSONDecoder().decode([String: Int].self, from: Data($0.utf8)) }

  let runtime: LoopRuntime
  let transport: LoopTransport

  private init() {
    runtime = LoopRuntime()
    transport = LoopTransport(runtime: runtime)
  }

  static func run(_ body: @escaping @Sendable (RealServers) async throws -> Void) async throws {
    let servers = RealServers()
    let result = await servers.runtime.task { () -> Result<Void, any Error> in
      do {
        return .success(try await body(servers))
      } catch {
        return .failure(error)
      }
    }.value
    await servers.transport.stop()
    await servers.runtime.stop()
    try result.get()
  }

  func port(_ server: String) throws -> Int { try #require(Self.ports?[server]) }

  func origin(_ server: String) throws -> Origin {
    Origin(host: "127.0.0.1", port: try port(server), basePath: "/v1")
  }

  func model() throws -> OpenAICompatibleLanguageModel {
    var limits = OpenAICompatibleLanguageModel.Limits()
    limits.firstByte = .seconds(60)
    limits.stall = .seconds(60)
    return OpenAICompatibleLanguageModel(
      transport: transport, runtime: runtime, origin: try origin("chat"), model: "smollm2",
      key: nil, limits: limits)
  }

  func recogniser(_ server: String) throws -> any SpeechToText {
    guard server == "transcription" else {
      return WyomingSpeechToText(
        dialer: LoopDialer(runtime: runtime), runtime: runtime, host: "127.0.0.1",
        port: try port(server), language: "en")
    }
    var limits = OpenAICompatibleSpeechToText.Limits()
    limits.firstByte = .seconds(60)
    return OpenAICompatibleSpeechToText(
      transport: transport, runtime: runtime, origin: try origin(server), model: "whisper-1",
      key: nil, language: "en", limits: limits)
  }

  func voice(_ server: String) throws -> any TextToSpeech {
    guard server == "speech" else {
      return WyomingTextToSpeech(
        dialer: LoopDialer(runtime: runtime), runtime: runtime, host: "127.0.0.1",
        port: try port(server))
    }
    var limits = OpenAICompatibleTextToSpeech.Limits()
    limits.firstByte = .seconds(60)
    // This one gives bare samples at the voice's own rate.
    return OpenAICompatibleTextToSpeech(
      transport: transport, runtime: runtime, origin: try origin(server), model: "tts-1", key: nil,
      rate: 22_050, limits: limits)
  }

  /// Nearest samples at 16 kHz: enough for a recogniser.
  static func resampled(_ samples: [Int16], from rate: Int) -> [Int16] {
    (0..<(samples.count * 16_000 / rate)).map { samples[$0 * rate / 16_000] }
  }
}
