import Networking
import Providers
import SessionsModel
import Simulation
import Stores
import Testing

@testable import AgentRouter

/// Sessions with voice on, through the real media plane, with scripted providers.
@Suite struct LiveSessionCallTests {
  private let question = "What is the capital of France?"
  private let answers = ["What is the capital of France?": "The capital of France is Paris."]

  /// A session with a device on its call.
  private func call(
    _ bench: SessionBench, tools: Set<String> = []
  ) async throws -> (FrameReader, DeviceDouble) {
    let reader = await bench.watch(tools: tools)
    _ = try await bench.session.startVoice()
    let device = try DeviceDouble(bench, reader.watcher)
    try await device.join(reader)
    return (reader, device)
  }

  private func speak(_ device: DeviceDouble) async throws {
    try await device.capture(milliseconds: 1_000, isSpeech: false)
    try await device.capture(milliseconds: 1_000, isSpeech: true)
    try await device.capture(milliseconds: 8_000, isSpeech: false)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func aSpokenQuestionIsAnsweredAloud(seed: UInt64) throws {
    try simulated(seed: seed) { runtime in
      let bench = try await SessionBench(
        runtime, answers: answers, lines: [question], hasMedia: true)
      let (reader, device) = try await call(bench)
      try await speak(device)
      let frames = await reader.until(.turn)
      #expect(
        frames.story.filter { !$0.hasPrefix("participant") && !$0.hasPrefix("call") } == [
          "hearing", "heard", "responding", "response_delta", "responded", "spoke", "heard_out",
          "turn",
        ])
      #expect(frames.states == ["listening", "responding", "idle"])
      #expect(frames.first(.heard)?["text"] == .string(question))
      let turn = try #require(frames.first(.turn))
      let legs = try ["endpoint_ms", "stt_final_ms", "v2v_ms"].map { name in
        try #require(turn[name]?.doubleValue, "\(name) was not measured")
      }
      #expect(legs[0] >= 500 && legs[0] < 560)
      // The words were found while the silence was still being waited for.
      #expect(legs[1] >= legs[0] && legs[1] < legs[0] + 20)
      #expect(legs[2] > legs[1] && legs[2] < legs[1] + 300)
      #expect(device.packets(of: 1) > 70)
      try await runtime.sleep(for: .milliseconds(10))
      let stored = try #require(await bench.storedTurns().first)
      #expect(stored.origin == .spoken)
      #expect(stored.said == question)
      #expect(stored.answer == "The capital of France is Paris.")
      #expect(bench.voice.spoken == ["The capital of France is Paris."])
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func aPersonWhoGoesOnAfterAPauseIsHeardWholeAndOnce(seed: UInt64) throws {
    try simulated(seed: seed) { runtime in
      let recogniser = CountingRecogniser(runtime: runtime)
      let bench = try await SessionBench(runtime, recogniser: recogniser, hasMedia: true)
      let (reader, device) = try await call(bench)
      try await device.capture(milliseconds: 1_000, isSpeech: false)
      try await device.capture(milliseconds: 1_000, isSpeech: true)
      // Long enough for the words to be found early, too short for the end of the turn.
      try await device.capture(milliseconds: 420, isSpeech: false)
      try await device.capture(milliseconds: 1_000, isSpeech: true)
      try await device.capture(milliseconds: 8_000, isSpeech: false)
      let frames = await reader.until(.turn)
      let heard = frames.filter { $0.type == .heard }.compactMap { $0["text"]?.stringValue }
      #expect(heard.count == 1)
      let milliseconds = try #require(heard.first.flatMap { Int($0) })
      #expect(milliseconds >= 2_420 && milliseconds < 3_300, "\(milliseconds) ms were heard")
      #expect(recogniser.requests >= 2, "the early words were never looked for")
      #expect(await bench.storedTurns().count == 1)
    }
  }

  /// Push-to-talk: the button is let go right behind the last word.
  @Test(arguments: [0, 200, 480])
  func whatWasSaidBeforeAMuteIsAnswered(silence: Int) throws {
    try simulated { runtime in
      let recogniser = CountingRecogniser(runtime: runtime)
      let bench = try await SessionBench(runtime, recogniser: recogniser, hasMedia: true)
      let (reader, device) = try await call(bench)
      try await device.capture(milliseconds: 1_000, isSpeech: false)
      try await device.capture(milliseconds: 1_000, isSpeech: true)
      if silence > 0 { try await device.capture(milliseconds: silence, isSpeech: false) }
      await bench.session.handle(
        command: ["type": "call.mute", "audio": true], from: reader.watcher)
      // A muted device sends silence.
      try await device.capture(milliseconds: 2_000, isSpeech: false)
      let frames = await reader.until(.turn)
      let heard = try #require(frames.first(.heard)?["text"]?.stringValue.flatMap { Int($0) })
      #expect(heard >= 1_000 && heard < 2_000, "\(heard) ms were heard")
      #expect(recogniser.openRequests == 0)
    }
  }

  /// Whoever goes on sending while muted is not listened to, neither within the utterance nor later.
  @Test func nothingThatComesWhileMutedIsHeard() throws {
    try simulated { runtime in
      let recogniser = CountingRecogniser(runtime: runtime)
      let bench = try await SessionBench(runtime, recogniser: recogniser, hasMedia: true)
      let (reader, device) = try await call(bench)
      try await device.capture(milliseconds: 1_000, isSpeech: false)
      try await device.capture(milliseconds: 1_000, isSpeech: true)
      await bench.session.handle(
        command: ["type": "call.mute", "audio": true], from: reader.watcher)
      try await device.capture(milliseconds: 4_000, isSpeech: true)
      try await device.capture(milliseconds: 8_000, isSpeech: false)
      let frames = await reader.until(.turn)
      try await runtime.sleep(for: .seconds(1))
      #expect(frames.filter { $0.type == .hearing }.count == 1)
      #expect(await bench.storedTurns().count == 1)
      let heard = try #require(frames.first(.heard)?["text"]?.stringValue.flatMap { Int($0) })
      // A second of speech, what may have been under way at the mute, and the silence behind it.
      #expect(heard < 2_400, "\(heard) ms were heard")
    }
  }

  /// A microphone that is unplugged in the middle of a sentence sends nothing more, not even silence.
  @Test func anUtteranceWhoseSoundStopsComingIsAnswered() throws {
    try simulated { runtime in
      let recogniser = CountingRecogniser(runtime: runtime)
      let bench = try await SessionBench(runtime, recogniser: recogniser, hasMedia: true)
      let (reader, device) = try await call(bench)
      try await device.capture(milliseconds: 1_000, isSpeech: false)
      try await device.capture(milliseconds: 1_000, isSpeech: true)
      let before = runtime.now
      let frames = await reader.until(.heard)
      #expect(frames.first(.heard) != nil)
      #expect(runtime.now - before < .seconds(7))
    }
  }

  @Test func wordsBeforeACallAreSpokenWhileTheToolRuns() throws {
    try simulated { runtime in
      let bench = try await SessionBench(
        runtime, wordsBeforeCall: "One moment.",
        tools: [SessionTool(name: "lookup", description: "")], hasMedia: true
      ) { agent in
        agent.toolChoice = "lookup"
      }
      let (reader, _) = try await call(bench, tools: ["lookup"])
      _ = try await bench.ask("Where is order 1042?")
      _ = await reader.until(.toolStarted)
      try await runtime.sleep(for: .milliseconds(100))
      #expect(bench.voice.spoken == ["One moment."])
      await bench.session.handle(
        command: ["type": "tool_result", "tool_call_id": "call-1", "output": "in Utrecht"],
        from: reader.watcher)
      _ = await reader.until(.turn)
      #expect(bench.voice.spoken == ["One moment.", "The tool says: in Utrecht."])
    }
  }

  @Test func aReplyThatIsCutIsStoredAsItWasHeard() throws {
    try simulated { runtime in
      let bench = try await SessionBench(
        runtime, answers: ["Count.": "One two three four five six seven eight nine ten."],
        hasMedia: true)
      let (reader, device) = try await call(bench)
      bench.runtime.task { try? await device.capture(milliseconds: 20_000, isSpeech: false) }
      _ = try await bench.ask("Count.", id: "req-1")
      _ = await reader.until(.responded)
      try await runtime.sleep(for: .milliseconds(1_300))
      try await bench.session.interrupt(requestID: "req-1")
      let frames = await reader.until(.turn)
      #expect(frames.first(.callFlush)?["generation"] == 2)
      #expect(frames.first(.turn)?["interrupted"] == true)
      try await runtime.sleep(for: .milliseconds(10))
      let stored = try #require(await bench.storedTurns().first)
      #expect(stored.isInterrupted)
      #expect("One two three four five six".hasPrefix(stored.answer))
      #expect(stored.answer.hasPrefix("One two"))
    }
  }

  /// R93.
  @Test func aSecondTypedTurnIsRefusedUntilTheFirstWasHeard() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime, answers: answers, hasMedia: true)
      let (reader, _) = try await call(bench)
      _ = try await bench.ask(question)
      _ = await reader.until(.responded)
      do {
        _ = try await bench.ask("And of Spain?")
        Issue.record("a second typed turn was accepted")
      } catch {
        #expect((error as? APIError)?.code == .responseInProgress)
      }
      _ = await reader.until(.heardOut)
      _ = await reader.until(.turn)
      _ = try await bench.ask("And of Spain?")
    }
  }

  @Test func aFailingModelIsApologizedForAloudAndTheApologyIsNotHistory() throws {
    try simulated { runtime in
      let bench = try await SessionBench(
        runtime, answers: answers, lines: [question],
        // The answer begun ahead fails unseen, and is asked for once more in earnest.
        modelFaults: [0: .rateLimited, 1: .rateLimited], hasMedia: true)
      let (reader, device) = try await call(bench)
      try await speak(device)
      let frames = await reader.until(.turn)
      #expect(frames.first(.error)?["fallback"] == .string(LiveSession.fallbackLine))
      #expect(frames.contains { $0.type == .heardOut })
      #expect(bench.voice.spoken == [LiveSession.fallbackLine])
      _ = try await bench.ask(question)
      _ = await reader.until(.turn)
      #expect(
        bench.model.prompts.last?.messages.contains { $0.content == LiveSession.fallbackLine }
          == false)
      // What was said is written behind the conversation's back.
      try await runtime.sleep(for: .milliseconds(10))
      #expect(await bench.storedTurns().map(\.answer) == ["", "The capital of France is Paris."])
    }
  }

  @Test func aRecogniserThatDiesInMidUtteranceGetsTheUtteranceOnceMore() throws {
    try simulated { runtime in
      let bench = try await SessionBench(
        runtime, answers: answers, lines: [question], recogniserFaults: [0: .crash],
        hasMedia: true)
      let (reader, device) = try await call(bench)
      try await speak(device)
      let frames = await reader.until(.turn)
      #expect(frames.first(.error)?["context"] == "stt")
      #expect(frames.first(.heard)?["text"] == .string(question))
      #expect(frames.text == "The capital of France is Paris.")
    }
  }

  @Test func aVoiceThatMakesNoSoundIsToldAndTheCallGoesOn() throws {
    try simulated { runtime in
      let bench = try await SessionBench(
        runtime, answers: answers, voiceFaults: [0: .silence, 1: .silence], hasMedia: true)
      let (reader, _) = try await call(bench)
      _ = try await bench.ask(question)
      let frames = await reader.until(.turn)
      #expect(frames.first(.error)?["context"] == "tts")
      #expect(!frames.contains { $0.type == .spoke })
      _ = try await bench.ask(question)
      #expect(await reader.until(.turn).contains { $0.type == .heardOut })
    }
  }

  @Test func aVoiceThatFailsIsToldAndTheCallGoesOn() throws {
    try simulated { runtime in
      let bench = try await SessionBench(
        runtime, answers: answers, voiceFaults: [0: .crash, 1: .crash], hasMedia: true)
      let (reader, _) = try await call(bench)
      _ = try await bench.ask(question)
      var frames = await reader.until(.turn)
      #expect(frames.first(.error)?["context"] == "tts")
      _ = try await bench.ask(question)
      frames = await reader.until(.turn)
      #expect(frames.contains { $0.type == .heardOut })
    }
  }

  @Test func aVoiceThatHangsIsToldThatNobodyWaitsAnyMore() throws {
    try simulated { runtime in
      let bench = try await SessionBench(
        runtime, answers: answers, voiceFaults: [0: .hang, 1: .hang], hasMedia: true)
      let (reader, _) = try await call(bench)
      _ = try await bench.ask(question)
      let frames = await reader.until(.turn)
      #expect(frames.first(.error)?["context"] == "tts")
      #expect(bench.voice.takenBack == 2)
      #expect(await bench.session.state == .idle)
    }
  }

  @Test func aReplyThatIsCutBeforeItsFirstSampleIsTakenBackFromTheVoice() throws {
    try simulated { runtime in
      let bench = try await SessionBench(
        runtime, answers: answers, voiceFaults: [0: .stall(.seconds(2))], hasMedia: true)
      let (reader, _) = try await call(bench)
      _ = try await bench.ask(question)
      _ = await reader.until(.responded)
      try await runtime.sleep(for: .milliseconds(50))
      try await bench.session.interrupt(requestID: nil)
      try await runtime.sleep(for: .milliseconds(50))
      #expect(bench.voice.takenBack == 1)
    }
  }

  @Test func aDeviceThatNeverReportsDoesNotHoldTheTurnForEver() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime, answers: answers, hasMedia: true)
      let (reader, device) = try await call(bench)
      device.fallSilent()
      _ = try await bench.ask(question)
      let frames = await reader.until(.turn)
      #expect(!frames.contains { $0.type == .heardOut })
      #expect(await bench.session.state == .idle)
      #expect(runtime.now < MonotonicInstant(nanoseconds: 20_000_000_000))
    }
  }

  @Test func aReportOfMoreThanWasSpokenCountsAsAllOfIt() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime, answers: answers, hasMedia: true)
      let (reader, device) = try await call(bench)
      device.fallSilent()
      _ = try await bench.ask(question)
      _ = await reader.until(.spoke)
      await bench.session.handle(
        command: ["type": "call.played", "generation": 1, "played_ms": .int(.max)],
        from: reader.watcher)
      try await bench.session.interrupt(requestID: nil)
      _ = await reader.until(.turn)
      try await runtime.sleep(for: .milliseconds(10))
      #expect(await bench.storedTurns().map(\.answer) == ["The capital of France is Paris."])
    }
  }

  /// R65.
  @Test func joiningAWrittenSessionIsRefused() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime, hasMedia: true)
      let reader = await bench.watch()
      await bench.session.handle(
        command: ["type": "call.join", "media": "websocket"], from: reader.watcher)
      let frames = await reader.until(.callError)
      #expect(frames.last?["code"] == "voice_off")
    }
  }

  @Test func whoSpeaksIntoTheAgentsLastWordsDoesNotKeepItOnTheCall() throws {
    try simulated { runtime in
      let bench = try await SessionBench(
        runtime, answers: answers, lines: [question, question, question], hasMedia: true)
      let (reader, device) = try await call(bench)
      _ = try await bench.ask(question)
      _ = await reader.until(.responded)
      bench.runtime.task { try? await self.speak(device) }
      _ = try await bench.session.stopVoice()
      await bench.session.end(reason: "test")
      let frames = await reader.until(.left)
      #expect(!frames.contains { $0.type == .hearing })
      #expect(frames.contains { $0.type == .heardOut })
    }
  }

  @Test func aReplyTheDeviceNeverReportsEndsWithTheCall() throws {
    try simulated { runtime in
      let long = String(repeating: "One two three four five six seven eight nine ten. ", count: 20)
      let bench = try await SessionBench(runtime, answers: ["Count.": long], hasMedia: true)
      let (reader, device) = try await call(bench)
      device.fallSilent()
      _ = try await bench.ask("Count.")
      _ = await reader.until(.responded)
      _ = try await bench.session.stopVoice()
      #expect(await bench.session.state == .idle)
      _ = await reader.until(.interrupted)
    }
  }

  /// R58, R99.
  @Test func stopVoiceLetsTheAgentFinishAndGoesOnInWriting() throws {
    try simulated { runtime in
      let bench = try await SessionBench(runtime, answers: answers, hasMedia: true)
      let (reader, _) = try await call(bench)
      _ = try await bench.ask(question)
      let record = try await bench.session.stopVoice()
      #expect(!record.isVoiceOn)
      let frames = await reader.until(.participantLeft)
      #expect(frames.contains { $0.type == .heardOut })
      #expect(frames.contains { $0.type == .callEnded })
      _ = try await bench.ask(question)
      let written = await reader.until(.turn)
      #expect(!written.contains { $0.type == .spoke })
    }
  }
}
