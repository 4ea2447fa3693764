import Networking
import Simulation
import Synchronization
import Testing

@testable import Providers

@Suite struct WorkerSupervisorTests {
  /// Answers each request with the words "Paris." after its `end`.
  private static let recogniser: ScriptedWorker.Script = { frame, worker in
    switch frame.controlType {
    case "end":
      worker.write(
        .control(
          #"{"type":"result","text":"Paris.","decode_ms":80}"#, request: frame.request))
    case "cancel": worker.write(.control(#"{"type":"cancelled"}"#, request: frame.request))
    default: break
    }
  }

  private static func transcribe(_ supervisor: WorkerSupervisor) async
    -> Result<String, ProviderError>
  {
    do throws(ProviderError) {
      let request = try await WorkerSpeechToText(supervisor: supervisor).begin()
      await request.append([Int16](repeating: 100, count: 20_000))
      return .success(try await request.finish().text)
    } catch {
      return .failure(error)
    }
  }

  @Test func speechGoesToTheWorkerInFramesAndItsWordsComeBack() throws {
    let samples = Mutex(0)
    let text = try simulated { runtime in
      let launcher = ScriptedLauncher {
        ScriptedWorker(readyAs: "stt") { frame, worker in
          if frame.kind == .audio { samples.withLock { $0 += frame.samples.count } }
          Self.recogniser(frame, worker)
        }
      }
      let supervisor = WorkerSupervisor(name: "stt", launcher: launcher, runtime: runtime)
      return await Self.transcribe(supervisor)
    }
    #expect(text == .success("Paris."))
    #expect(samples.withLock { $0 } == 20_000)
  }

  @Test func aCrashInMidRequestFailsItTellsWhyAndTheNextRequestWorks() throws {
    let told = Mutex<[String]>([])
    let (first, second, counters) = try simulated { runtime in
      let launcher = ScriptedLauncher(
        { ScriptedWorker(readyAs: "stt") { _, worker in worker.end("signal 9") } },
        { ScriptedWorker(readyAs: "stt", script: Self.recogniser) })
      let supervisor = WorkerSupervisor(
        name: "stt", launcher: launcher, runtime: runtime,
        onTrouble: { sentence in told.withLock { $0.append(sentence) } })
      let first = await Self.transcribe(supervisor)
      let second = await Self.transcribe(supervisor)
      return (first, second, await supervisor.counters)
    }
    #expect(first == .failure(.unavailable("The stt worker ended (signal 9).")))
    #expect(second == .success("Paris."))
    #expect(counters.restarts == 1)
    #expect(told.withLock { $0 } == ["The stt worker ended (signal 9)."])
  }

  @Test func aWorkerThatHangsIsEndedAfterTheSilenceLimit() throws {
    let (result, waited, restarts) = try simulated { runtime in
      let supervisor = WorkerSupervisor(
        name: "stt", launcher: ScriptedLauncher { ScriptedWorker(readyAs: "stt") },
        runtime: runtime)
      let start = runtime.now
      let result = await Self.transcribe(supervisor)
      let waited = runtime.now - start
      try await runtime.sleep(for: .seconds(1))
      return (result, waited, await supervisor.counters.restarts)
    }
    #expect(
      result == .failure(.unavailable("The stt worker said nothing for 10000 ms and was ended.")))
    #expect(waited == .seconds(10))
    #expect(restarts == 1)
  }

  @Test func aWorkerThatStopsReadingIsEndedAfterTheSilenceLimit() throws {
    let (result, waited, next) = try simulated { runtime in
      let launcher = ScriptedLauncher(
        { ScriptedWorker(readyAs: "stt", readsBytes: 10_000) },
        { ScriptedWorker(readyAs: "stt", script: Self.recogniser) })
      let supervisor = WorkerSupervisor(name: "stt", launcher: launcher, runtime: runtime)
      let start = runtime.now
      let result = await Self.transcribe(supervisor)
      let waited = runtime.now - start
      return (result, waited, await Self.transcribe(supervisor))
    }
    #expect(
      result == .failure(.unavailable("The stt worker said nothing for 10000 ms and was ended.")))
    #expect(waited == .seconds(10))
    #expect(next == .success("Paris."))
  }

  @Test func aPersonWhoSpeaksForLongDoesNotTripTheSilenceLimit() throws {
    let result = try simulated { runtime in
      let supervisor = WorkerSupervisor(
        name: "stt",
        launcher: ScriptedLauncher { ScriptedWorker(readyAs: "stt", script: Self.recogniser) },
        runtime: runtime)
      let request = try await WorkerSpeechToText(supervisor: supervisor).begin()
      try await runtime.sleep(for: .seconds(30))
      return try await request.finish().text
    }
    #expect(result == "Paris.")
  }

  @Test(arguments: [0, -1, 1_000_000])
  func aWorkerWithAnImpossibleRateIsEnded(rate: Int) throws {
    let (ready, trouble) = try simulated { runtime in
      let launcher = ScriptedLauncher {
        let worker = ScriptedWorker(readyAs: nil)
        worker.write(
          .control(
            #"{"type":"ready","role":"tts","name":"n","licence":"MIT","rate":\#(rate)}"#,
            request: 0))
        return worker
      }
      let supervisor = WorkerSupervisor(name: "tts", launcher: launcher, runtime: runtime)
      await supervisor.start()
      try await runtime.sleep(for: .milliseconds(50))
      return (await supervisor.ready, await supervisor.trouble)
    }
    #expect(ready == nil)
    #expect(trouble == "The tts worker wrote a sample rate of \(rate) Hz and was ended.")
  }

  @Test func aBrokenFrameEndsTheWorker() throws {
    let result = try simulated { runtime in
      let supervisor = WorkerSupervisor(
        name: "stt",
        launcher: ScriptedLauncher {
          ScriptedWorker(readyAs: "stt") { _, worker in worker.write(bytes: [1, 0, 0, 0, 1]) }
        }, runtime: runtime)
      return await Self.transcribe(supervisor)
    }
    #expect(
      result
        == .failure(
          .unavailable(
            "The stt worker wrote a frame of 1 bytes; 5 to 1048576 are allowed and was ended.")))
  }

  @Test func aResultAfterTheCancellationIsDroppedAndTheWorkerGoesOn() throws {
    let (cancelled, next) = try simulated { runtime in
      let launcher = ScriptedLauncher {
        ScriptedWorker(readyAs: "stt") { frame, worker in
          if frame.request == 1, frame.controlType == "cancel" {
            worker.write(.text("late", request: 1))
            worker.write(.control(#"{"type":"result","text":"late"}"#, request: 1))
            worker.write(.control(#"{"type":"cancelled"}"#, request: 1))
          } else if frame.request > 1 {
            Self.recogniser(frame, worker)
          }
        }
      }
      let supervisor = WorkerSupervisor(name: "stt", launcher: launcher, runtime: runtime)
      let request = try await WorkerSpeechToText(supervisor: supervisor).begin()
      await request.cancel()
      let cancelled: Result<String, ProviderError>
      do throws(ProviderError) {
        cancelled = .success(try await request.finish().text)
      } catch {
        cancelled = .failure(error)
      }
      return (cancelled, await Self.transcribe(supervisor))
    }
    #expect(cancelled == .failure(.cancelled))
    #expect(next == .success("Paris."))
  }

  @Test func aWorkerThatCannotStartSaysSoToWhoeverAsks() throws {
    let result = try simulated { runtime in
      let launcher = ScriptedLauncher {
        let worker = ScriptedWorker(readyAs: nil)
        worker.write(
          .control(
            #"{"type":"error","code":"model_missing","message":"m.bin is missing."}"#, request: 0))
        worker.end("exit status 1")
        return worker
      }
      let supervisor = WorkerSupervisor(name: "stt", launcher: launcher, runtime: runtime)
      return await Self.transcribe(supervisor)
    }
    #expect(result == .failure(.unavailable("m.bin is missing.")))
  }

  @Test func aModelAnswersInDeltasAlsoWhenACharacterIsCut() throws {
    let events = try simulated { runtime in
      let launcher = ScriptedLauncher {
        ScriptedWorker(readyAs: "llm") { frame, worker in
          guard frame.controlType == "start" else { return }
          let bytes = Array("Caf\u{E9}.".utf8)
          for part in [bytes.prefix(4), bytes.dropFirst(4)] {
            worker.write(WorkerFrame(kind: .text, request: frame.request, payload: Array(part)))
          }
          worker.write(
            .control(
              #"{"type":"result","finish_reason":"stop","input_tokens":9,"cached_input_tokens":4,"output_tokens":3,"ttft_ms":30}"#,
              request: frame.request))
        }
      }
      let supervisor = WorkerSupervisor(name: "llm", launcher: launcher, runtime: runtime)
      let reply = try await WorkerLanguageModel(supervisor: supervisor)
        .respond(to: ModelPrompt(messages: [ModelMessage(.user, "Where?")]))
      var events: [ModelEvent] = []
      while let event = try await reply.next() { events.append(event) }
      return events
    }
    #expect(
      events == [
        .text("Caf"), .text("\u{E9}."),
        .finished(ModelUsage(inputTokens: 9, cachedInputTokens: 4, outputTokens: 3)),
      ])
  }

  @Test func aForcedToolChoiceComesBackAsACall() throws {
    let asked = Mutex("")
    let events = try simulated { runtime in
      let launcher = ScriptedLauncher {
        ScriptedWorker(readyAs: "llm") { frame, worker in
          guard frame.controlType == "start" else { return }
          asked.withLock { $0 = String(decoding: frame.payload, as: UTF8.self) }
          for part in [#"{"name": "lookup_order", "argu"#, #"ments": {"order_id": "1042"}}"#] {
            worker.write(.text(part, request: frame.request))
          }
          worker.write(.control(#"{"type":"result","output_tokens":12}"#, request: frame.request))
        }
      }
      let supervisor = WorkerSupervisor(name: "llm", launcher: launcher, runtime: runtime)
      let tool = ModelTool(
        name: "lookup_order", description: "",
        parameters: #"{"type":"object","properties":{"order_id":{"type":"string"}}}"#)
      let reply = try await WorkerLanguageModel(supervisor: supervisor).respond(
        to: ModelPrompt(
          messages: [ModelMessage(.user, "Where is order 1042?")], tools: [tool],
          toolChoice: .tool(name: "lookup_order")))
      var events: [ModelEvent] = []
      while let event = try await reply.next() { events.append(event) }
      return events
    }
    #expect(
      events == [
        .toolCall(
          ModelToolCall(id: "call_1", name: "lookup_order", arguments: #"{"order_id":"1042"}"#)),
        .finished(ModelUsage(outputTokens: 12)),
      ])
    #expect(asked.withLock { $0 }.contains("grammar"))
  }

  @Test func aVoiceStreamsItsSamples() throws {
    let (samples, rate) = try simulated { runtime in
      let launcher = ScriptedLauncher {
        ScriptedWorker(readyAs: "tts") { frame, worker in
          guard frame.controlType == "start" else { return }
          worker.write(.audio([1, 2, 3], request: frame.request))
          worker.write(.audio([4], request: frame.request))
          worker.write(.control(#"{"type":"result","audio_ms":1}"#, request: frame.request))
        }
      }
      let supervisor = WorkerSupervisor(name: "tts", launcher: launcher, runtime: runtime)
      let voice = WorkerTextToSpeech(supervisor: supervisor)
      let reply = try await voice.speak("Sure.", voice: "")
      var samples: [Int16] = []
      while let part = try await reply.next() { samples += part }
      return (samples, await voice.rate)
    }
    #expect(samples == [1, 2, 3, 4])
    #expect(rate == 24_000)
  }
}
