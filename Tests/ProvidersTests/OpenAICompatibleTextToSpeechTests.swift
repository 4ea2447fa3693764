import Networking
import Simulation
import Testing

@testable import Providers

@Suite struct OpenAICompatibleTextToSpeechTests {
  private static let pcm: HTTPHeaders = ["Content-Type": "audio/pcm"]
  private static let wave: HTTPHeaders = ["Content-Type": "audio/wav"]

  private struct Spoken: Equatable {
    var samples: [Int16] = []
    var pieces = 0
    var rate: Int?
  }

  private func speech(of server: ScriptedHTTPServer, _ runtime: any Runtime, voice: String = "")
    async -> Result<Spoken, ProviderError>
  {
    let speaker = OpenAICompatibleTextToSpeech(
      transport: server, runtime: runtime, origin: Origin(host: "mouth", port: 80), model: "tts-1",
      key: nil)
    do throws(ProviderError) {
      let reply = try await speaker.speak("Hello.", voice: voice)
      var spoken = Spoken()
      while let samples = try await reply.next() {
        spoken.samples += samples
        spoken.pieces += 1
      }
      spoken.rate = await reply.rate
      return .success(spoken)
    } catch {
      return .failure(error)
    }
  }

  @Test(arguments: [1, 3, 4, 1_000])
  func bareSamplesComeHoweverTheNetworkCutsThem(length: Int) throws {
    let samples: [Int16] = [0, 1, -1, 32_767, -32_768, 256]
    let bytes = LittleEndianSamples.bytes(of: samples)
    let pieces = stride(from: 0, to: bytes.count, by: length).map {
      Array(bytes[$0..<min($0 + length, bytes.count)])
    }
    let (result, request) = try simulated { runtime in
      let server = ScriptedHTTPServer(runtime, headers: Self.pcm, bytes: pieces)
      return (await speech(of: server, runtime), server.request)
    }
    let spoken = try result.get()
    #expect(spoken.samples == samples)
    #expect(spoken.rate == nil)
    let sent = try #require(request)
    #expect(sent.path == "/audio/speech")
    #expect(
      String(decoding: sent.body, as: UTF8.self)
        == #"{"input":"Hello.","model":"tts-1","response_format":"pcm","voice":"alloy"}"#)
  }

  @Test func soundIsHandedOnBeforeTheAnswerIsWhole() throws {
    let first = try simulated { runtime in
      let server = ScriptedHTTPServer(
        runtime, headers: Self.pcm, bytes: [LittleEndianSamples.bytes(of: [1, 2, 3])], hangs: true)
      let speaker = OpenAICompatibleTextToSpeech(
        transport: server, runtime: runtime, origin: Origin(host: "mouth", port: 80), model: "m",
        key: nil)
      return try await speaker.speak("Hello.", voice: "").next()
    }
    #expect(first == [1, 2, 3])
  }

  @Test(arguments: [1, 5, 44, 1_000], [1, 2])
  func aWaveFileIsReadWithItsOwnRate(length: Int, channels: Int) throws {
    var bytes = WaveFile.bytes(
      of: channels == 1 ? [5, 6, 7, 8] : [5, -5, 6, -6, 7, -7, 8, -8], rate: 22_050)
    bytes[22] = UInt8(channels)
    // As a server writes that does not know the length yet.
    bytes.replaceSubrange(40..<44, with: [255, 255, 255, 255])
    let file = bytes
    let pieces = stride(from: 0, to: file.count, by: length).map {
      Array(file[$0..<min($0 + length, file.count)])
    }
    guard channels == 1 || length % 4 == 0 else { return }
    let result = try simulated { runtime in
      await speech(
        of: ScriptedHTTPServer(runtime, headers: Self.wave, bytes: pieces), runtime)
    }
    let spoken = try result.get()
    #expect(spoken.samples == [5, 6, 7, 8])
    #expect(spoken.rate == 22_050)
  }

  @Test(arguments: ["audio/mpeg", "application/json", "text/html"])
  func anAnswerThatIsNoPlainSoundIsToldOf(type: String) throws {
    let result = try simulated { runtime in
      await speech(
        of: ScriptedHTTPServer(runtime, headers: ["Content-Type": type], ["ID3"]), runtime)
    }
    guard case .failure(let error) = result else {
      Issue.record("\(type) was spoken")
      return
    }
    #expect(error.description.contains(type))
    #expect(error.description.contains("pcm"))
  }

  @Test(arguments: ScriptedHTTPServer.Fault.allCases)
  func everyFaultIsToldInASentenceWithinTheLimit(_ fault: ScriptedHTTPServer.Fault) throws {
    var broken = WaveFile.bytes(of: [1], rate: 24_000)
    broken[34] = 24
    let malformed = broken
    let (result, waited) = try simulated { runtime in
      let server = ScriptedHTTPServer(
        fault, runtime, headers: Self.pcm, [LittleEndianSamples.bytes(of: [1, 2])],
        malformed: malformed)
      let start = runtime.now
      return (await speech(of: server, runtime), runtime.now - start)
    }
    #expect(waited <= .seconds(5))
    let name = "The speech server at mouth:80"
    if fault == .closedEarly {
      // Bare samples have no end mark: what came is what there is.
      #expect(result == .success(Spoken(samples: [1, 2], pieces: 1)))
      return
    }
    guard case .failure(let error) = result else {
      Issue.record("\(fault) was spoken")
      return
    }
    switch fault {
    case .refused: #expect(error.description.contains("unreachable"))
    case .silent: #expect(error == .timedOut("\(name) did not answer within 5000 ms."))
    case .stalls: #expect(error == .timedOut("\(name) stopped for 5000 ms in mid-answer."))
    case .malformed:
      #expect(
        error == .failed("\(name) sent a WAV file of 24 bit, where mono PCM16 was asked for."))
    case .limited: #expect(error == .rateLimited(retryAfter: nil))
    case .broken: #expect(error == .failed("\(name) answered 500: out of memory"))
    case .closedEarly: break
    }
  }

  @Test func aCancelledReplyEndsItsTransferWhileSomebodyWaits() throws {
    let (result, givenUp) = try simulated { runtime in
      let server = ScriptedHTTPServer(runtime, headers: Self.pcm, [], hangs: true)
      let speaker = OpenAICompatibleTextToSpeech(
        transport: server, runtime: runtime, origin: Origin(host: "mouth", port: 80), model: "m",
        key: nil)
      let reply = try await speaker.speak("Hello.", voice: "")
      let work = runtime.task { () -> ProviderError? in
        do throws(ProviderError) {
          _ = try await reply.next()
          return nil
        } catch {
          return error
        }
      }
      try await runtime.sleep(for: .milliseconds(100))
      await reply.cancel()
      let result = await work.value
      try await runtime.sleep(for: .milliseconds(100))
      return (result, server.transfersGivenUp)
    }
    #expect(result == .cancelled)
    #expect(givenUp == 1)
  }
}
