import Networking
import SessionsModel
import Testing

@testable import Providers

@Suite struct WyomingTests {
  enum Fault: CaseIterable {
    case refused, readsNothing, silent, stalls, malformed, tooLong, closedEarly, saysError
  }

  private static let format: [String: JSONValue] = ["rate": 22_050, "width": 2, "channels": 1]
  private static let name = "The Wyoming server at box:10300"

  // MARK: Events

  @Test(arguments: [1, 2, 9, 1_000])
  func eventsAreReadHoweverTheNetworkCutsThem(length: Int) throws {
    // Data behind the line, as the protocol's own library writes them; then data within it.
    let first =
      #"{"type":"audio-chunk","version":"1.10.2","data_length":38,"payload_length":3}"# + "\n"
      + #"{"rate":16000,"width":2,"channels":1 }"#
    let event = WyomingEvent(type: "transcript", data: ["text": "Hello\nthere."])
    let bytes = Array(first.utf8) + [10, 0, 255] + event.encoded
    var decoder = WyomingDecoder()
    var events: [WyomingEvent] = []
    for start in stride(from: 0, to: bytes.count, by: length) {
      decoder.append(Array(bytes[start..<min(start + length, bytes.count)]))
      while let event = try decoder.next() { events.append(event) }
    }
    #expect(
      events == [
        WyomingEvent(
          type: "audio-chunk", data: ["rate": 16_000, "width": 2, "channels": 1],
          payload: [10, 0, 255]), event,
      ])
    #expect(!decoder.isInMidEvent)
  }

  @Test(arguments: [
    "nonsense\n", "{\"no\":\"type\"}\n", "[1]\n", "{\"type\":\"x\",\"data_length\":-1}\n",
    "{\"type\":\"x\",\"payload_length\":99999999999}\n", "{\"type\":\"x\",\"data_length\":2}\n[]",
  ])
  func whatIsNoEventIsRefused(text: String) {
    var decoder = WyomingDecoder()
    decoder.append(Array(text.utf8))
    #expect(throws: WyomingDecoder.Broken.self) { _ = try decoder.next() }
  }

  // MARK: The recogniser

  private func words(of server: ScriptedWyomingServer, _ runtime: any Runtime)
    async -> Result<Transcript, ProviderError>
  {
    let recogniser = WyomingSpeechToText(
      dialer: server, runtime: runtime, host: "box", port: 10_300, model: "tiny", language: "en")
    do throws(ProviderError) {
      let request = try await recogniser.begin()
      await request.append([1, -1])
      await request.append([256])
      return .success(try await request.finish())
    } catch {
      return .failure(error)
    }
  }

  @Test func speechGoesOutAsItIsSaidAndItsWordsComeBack() throws {
    let (result, events, open) = try simulated { runtime in
      let server = ScriptedWyomingServer(runtime) { event in
        guard event.type == "audio-stop" else { return [] }
        let words = WyomingEvent(type: "transcript", data: ["text": " Hello. ", "language": "en"])
        return [.send(WyomingEvent(type: "transcript-start")), .send(words)]
      }
      let result = await words(of: server, runtime)
      return (result, server.events, server.open)
    }
    #expect(result == .success(Transcript(text: "Hello.", language: "en")))
    #expect(
      events.map(\.type) == [
        "transcribe", "audio-start", "audio-chunk", "audio-chunk", "audio-stop",
      ])
    #expect(events[0].data == ["name": "tiny", "language": "en"])
    #expect(events[1].data == ["rate": 16_000, "width": 2, "channels": 1])
    #expect(events[2].payload == [1, 0, 255, 255])
    #expect(events[3].payload == [0, 1])
    #expect(open == 0)
  }

  @Test func wordsThatComeInPiecesArePutTogether() throws {
    let result = try simulated { runtime in
      let server = ScriptedWyomingServer(runtime) { event in
        guard event.type == "audio-stop" else { return [] }
        return [
          .send(WyomingEvent(type: "transcript-chunk", data: ["text": "Hel"])),
          .send(WyomingEvent(type: "transcript-chunk", data: ["text": "lo."])),
          .send(WyomingEvent(type: "transcript-stop")),
        ]
      }
      return await words(of: server, runtime)
    }
    #expect(result == .success(Transcript(text: "Hello.")))
  }

  /// A server with one thing wrong, once it was asked for `trigger`.
  private static func server(
    _ fault: Fault, _ runtime: any Runtime, trigger: String, begins: WyomingEvent
  ) -> ScriptedWyomingServer {
    ScriptedWyomingServer(
      runtime, isUnreachable: fault == .refused, readsNothing: fault == .readsNothing
    ) { event in
      guard event.type == trigger else { return [] }
      switch fault {
      case .refused, .readsNothing, .silent: return []
      case .stalls: return [.bytes(Array(begins.encoded.dropLast(3)))]
      case .malformed: return [.bytes(Array("<html>\n".utf8))]
      case .tooLong: return [.bytes([UInt8](repeating: 65, count: 70_000))]
      case .closedEarly: return [.bytes(Array(begins.encoded.dropLast(3))), .close]
      case .saysError:
        return [.send(WyomingEvent(type: "error", data: ["text": "no such model"]))]
      }
    }
  }

  private static func expect(_ error: ProviderError, of fault: Fault, limit: Int) {
    switch fault {
    case .refused:
      #expect(
        error
          == .unavailable(
            "The provider is unreachable: no connection to box:10300: connection refused"))
    case .readsNothing: #expect(error == .timedOut("\(name) read nothing for 3000 ms."))
    case .silent, .stalls: #expect(error == .timedOut("\(name) said nothing for \(limit) ms."))
    case .malformed: #expect(error == .failed("\(name) sent a line that is no event: <html>."))
    case .tooLong: #expect(error == .failed("\(name) sent a line of more than 65536 bytes."))
    case .closedEarly: #expect(error == .failed("\(name) closed the connection in mid-event."))
    case .saysError: #expect(error == .failed("\(name) failed: no such model"))
    }
  }

  @Test(arguments: Fault.allCases)
  func everyFaultOfARecogniserIsToldInASentence(_ fault: Fault) throws {
    let (result, open) = try simulated { runtime in
      let server = Self.server(
        fault, runtime, trigger: "audio-stop",
        begins: WyomingEvent(type: "transcript", data: ["text": "Hello."]))
      let result = await words(of: server, runtime)
      try await runtime.sleep(for: .milliseconds(10))
      return (result, server.open)
    }
    guard case .failure(let error) = result else {
      Issue.record("\(fault) gave words: \(result)")
      return
    }
    Self.expect(error, of: fault, limit: 6_000)
    #expect(open == 0, "the connection stays open after \(fault)")
  }

  // MARK: The voice

  private func speech(of server: ScriptedWyomingServer, _ runtime: any Runtime)
    async -> (samples: [Int16], rate: Int?, error: ProviderError?)
  {
    let voice = WyomingTextToSpeech(
      dialer: server, runtime: runtime, host: "box", port: 10_300, voice: "joe")
    var samples: [Int16] = []
    do throws(ProviderError) {
      let reply = try await voice.speak("Hello.", voice: "")
      while let more = try await reply.next() { samples += more }
      return (samples, await reply.rate, nil)
    } catch {
      return (samples, nil, error)
    }
  }

  @Test func aSentenceIsSpokenAtTheRateTheServerSays() throws {
    let (spoken, events, open) = try simulated { runtime in
      let server = ScriptedWyomingServer(runtime) { event in
        guard event.type == "synthesize" else { return [] }
        return [
          .send(WyomingEvent(type: "audio-start", data: Self.format)),
          .send(WyomingEvent(type: "audio-chunk", data: Self.format, payload: [1, 0, 2, 0])),
          .send(WyomingEvent(type: "audio-chunk", data: Self.format, payload: [3, 0])),
          .send(WyomingEvent(type: "audio-stop")),
        ]
      }
      let spoken = await speech(of: server, runtime)
      return (spoken, server.events, server.open)
    }
    #expect(spoken.samples == [1, 2, 3])
    #expect(spoken.rate == 22_050)
    #expect(spoken.error == nil)
    #expect(events[0].data == ["text": "Hello.", "voice": ["name": "joe"]])
    #expect(open == 0)
  }

  @Test(arguments: Fault.allCases)
  func everyFaultOfAVoiceIsToldInASentence(_ fault: Fault) throws {
    let (spoken, open) = try simulated { runtime in
      let server = Self.server(
        fault, runtime, trigger: "synthesize",
        begins: WyomingEvent(type: "audio-chunk", data: Self.format, payload: [1, 0, 2, 0]))
      let spoken = await speech(of: server, runtime)
      try await runtime.sleep(for: .milliseconds(10))
      return (spoken, server.open)
    }
    let error = try #require(spoken.error)
    #expect(spoken.samples == [])
    Self.expect(error, of: fault, limit: 5_000)
    #expect(open == 0, "the connection stays open after \(fault)")
  }

  @Test(arguments: [
    (["rate": 22_050, "width": 3, "channels": 1] as [String: JSONValue], "24 bit in 1 channels"),
    (["rate": 22_050, "width": 2, "channels": 2], "16 bit in 2 channels"),
    (["rate": 5, "width": 2, "channels": 1], "at 5 Hz"),
    (["width": 2, "channels": 1], "at null Hz"),
  ])
  func aFormatThatCannotBeHeardIsNamed(_ format: [String: JSONValue], _ words: String) throws {
    let spoken = try simulated { runtime in
      await speech(
        of: ScriptedWyomingServer(runtime) { _ in
          [.send(WyomingEvent(type: "audio-start", data: format))]
        }, runtime)
    }
    #expect(try #require(spoken.error).description.contains(words))
  }

  @Test func aReplyThatIsTakenBackClosesItsConnection() throws {
    let (error, open) = try simulated { runtime in
      let server = ScriptedWyomingServer(runtime) { _ in [] }
      let voice = WyomingTextToSpeech(dialer: server, runtime: runtime, host: "box", port: 1)
      let reply = try await voice.speak("Hello.", voice: "")
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
      return (await work.value, server.open)
    }
    #expect(error == .cancelled)
    #expect(open == 0)
  }
}
