import Networking
import Simulation
import Testing

@testable import Providers

@Suite struct OpenAICompatibleSpeechToTextTests {
  private static let json: HTTPHeaders = ["Content-Type": "application/json"]
  private static let events: HTTPHeaders = ["Content-Type": "text/event-stream; charset=utf-8"]

  private func words(
    of server: ScriptedHTTPServer, _ runtime: any Runtime, samples: [Int16] = [1, -2, 3],
    language: String? = nil, streams: Bool = false
  ) async -> Result<Transcript, ProviderError> {
    let recogniser = OpenAICompatibleSpeechToText(
      transport: server, runtime: runtime, origin: Origin(host: "ear", port: 80, basePath: "/v1"),
      model: "whisper-1", key: "k", language: language, streams: streams)
    do throws(ProviderError) {
      let request = try await recogniser.begin()
      for sample in samples { await request.append([sample]) }
      return .success(try await request.finish())
    } catch {
      return .failure(error)
    }
  }

  @Test func anUtteranceIsSentAsAWaveFileAndItsWordsComeBack() throws {
    let (result, request) = try simulated { runtime in
      let server = ScriptedHTTPServer(
        runtime, headers: Self.json, [#"{"text":" Hello "#, #"there.\n","language":"en"}"#])
      let result = await words(of: server, runtime, language: "en")
      return (result, server.request)
    }
    #expect(result == .success(Transcript(text: "Hello there.", language: "en")))
    let sent = try #require(request)
    #expect(sent.path == "/audio/transcriptions")
    #expect(sent.headers["authorization"] == "Bearer k")
    let type = try #require(sent.headers["Content-Type"])
    let boundary = try #require(type.split(separator: "=").last)
    let wave = WaveFile.bytes(of: [1, -2, 3], rate: 16_000)
    #expect(wave.count == 50)
    let text = sent.body.map { $0 < 128 ? String(UnicodeScalar($0)) : "?" }.joined()
    for part in [
      "--\(boundary)\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nwhisper-1\r\n",
      "name=\"language\"\r\n\r\nen\r\n", "name=\"response_format\"\r\n\r\njson\r\n",
      "name=\"file\"; filename=\"speech.wav\"\r\nContent-Type: audio/wav\r\n\r\nRIFF",
    ] {
      #expect(text.contains(part), "\(part) in \(text)")
    }
    #expect(text.hasSuffix("\r\n--\(boundary)--\r\n"))
    #expect(!text.contains("name=\"stream\""))
    let end = Array("\r\n--\(boundary)--\r\n".utf8).count
    #expect(Array(sent.body.dropLast(end).suffix(50)) == wave)
  }

  @Test(arguments: [1, 7, 1_000])
  func streamedWordsComeHoweverTheNetworkCutsThem(length: Int) throws {
    let stream = Array(
      (#"data: {"type":"transcript.text.delta","delta":"Hel"}"# + "\n\n"
        + #"data: {"type":"transcript.text.delta","delta":"lo."}"# + "\n\n"
        + #"data: {"type":"transcript.text.done"}"# + "\n\ndata: [DONE]\n\n").utf8)
    let pieces = stride(from: 0, to: stream.count, by: length).map {
      Array(stream[$0..<min($0 + length, stream.count)])
    }
    let (result, request) = try simulated { runtime in
      let server = ScriptedHTTPServer(runtime, headers: Self.events, bytes: pieces)
      return (await words(of: server, runtime, streams: true), server.request)
    }
    #expect(result == .success(Transcript(text: "Hello.")))
    #expect(
      String(decoding: try #require(request).body, as: UTF8.self)
        .contains("name=\"stream\"\r\n\r\ntrue"))
  }

  @Test(arguments: ScriptedHTTPServer.Fault.allCases, [true, false])
  func everyFaultIsToldInASentenceWithinTheLimit(
    _ fault: ScriptedHTTPServer.Fault, streams: Bool
  ) throws {
    let (result, waited) = try simulated { runtime in
      let begun = #"data: {"type":"transcript.text.delta","delta":"Hel"}"# + "\n\n"
      let server = ScriptedHTTPServer(
        fault, runtime, headers: streams ? Self.events : Self.json,
        [Array((streams ? begun : #"{"text":"Hel"#).utf8)],
        malformed: Array((streams ? "data: {\n\n" : "<html>").utf8))
      let start = runtime.now
      return (await words(of: server, runtime, streams: streams), runtime.now - start)
    }
    guard case .failure(let error) = result else {
      Issue.record("\(fault) gave words: \(result)")
      return
    }
    let name = "The transcription server at ear:80"
    switch fault {
    case .refused: #expect(error.description.contains("unreachable: no connection to ear:80"))
    case .silent: #expect(error == .timedOut("\(name) did not answer within 6000 ms."))
    case .stalls: #expect(error == .timedOut("\(name) stopped for 3000 ms in mid-answer."))
    case .malformed: #expect(error.description.contains("cannot be read: "))
    case .closedEarly:
      #expect(
        error
          == .failed(
            streams
              ? "\(name) ended its answer before it was complete."
              : #"\#(name) sent an answer that cannot be read: {"text":"Hel"#))
    case .limited: #expect(error == .rateLimited(retryAfter: nil))
    case .broken: #expect(error == .failed("\(name) answered 500: out of memory"))
    }
    #expect(waited <= .seconds(6))
  }

  @Test func aCancelledUtteranceEndsItsTransfer() throws {
    let (result, givenUp) = try simulated { runtime in
      let server = ScriptedHTTPServer(runtime, [], neverAnswers: true)
      let recogniser = OpenAICompatibleSpeechToText(
        transport: server, runtime: runtime, origin: Origin(host: "ear", port: 80), model: "m",
        key: nil)
      let request = try await recogniser.begin()
      let work = runtime.task { () -> ProviderError? in
        do throws(ProviderError) {
          _ = try await request.finish()
          return nil
        } catch {
          return error
        }
      }
      try await runtime.sleep(for: .milliseconds(100))
      await request.cancel()
      let result = await work.value
      try await runtime.sleep(for: .milliseconds(100))
      return (result, server.transfersGivenUp)
    }
    #expect(result == .cancelled)
    #expect(givenUp == 1)
  }
}
