import Networking
import Providers
import SessionsModel
import Simulation
import Stores
import Testing

@testable import AgentRouter

/// Answers begun on words that may not be the last: taken whole, or gone without a trace.
@Suite struct AnswerAheadTests {
  private let question = "What is the capital of France?"
  private let answers = ["What is the capital of France?": "The capital of France is Paris."]

  private func call(_ bench: SessionBench) async throws -> (FrameReader, DeviceDouble) {
    let reader = await bench.watch()
    _ = try await bench.session.startVoice()
    let device = try DeviceDouble(bench, reader.watcher)
    try await device.join(reader)
    return (reader, device)
  }

  /// The turn and how long after its decision the first audio went out.
  private func ask(ahead: Bool) throws -> (frames: [Frame], wait: Double, prompts: Int) {
    let outcome = Shared<(frames: [Frame], wait: Double, prompts: Int)?>(nil)
    try simulated { runtime in
      let bench = try await SessionBench(
        runtime, answers: answers, lines: [question], hasMedia: true
      ) { $0.turn.isAhead = ahead }
      let (reader, device) = try await call(bench)
      try await device.capture(milliseconds: 1_000, isSpeech: false)
      try await device.capture(milliseconds: 1_000, isSpeech: true)
      try await device.capture(milliseconds: 8_000, isSpeech: false)
      let frames = await reader.until(.turn)
      let turn = try #require(frames.first(.turn))
      let sent = try #require(turn["speech_end_to_audio_ms"]?.doubleValue)
      let decided = try #require(turn["endpoint_ms"]?.doubleValue)
      outcome.value = (frames, sent - decided, bench.model.prompts.count)
    }
    return try #require(outcome.value)
  }

  @Test func anAnswerBegunAheadIsHeardAsSoonAsTheTurnIsDecided() throws {
    let (frames, wait, prompts) = try ask(ahead: true)
    let (later, usual, _) = try ask(ahead: false)
    #expect(wait < 20, "\(wait) ms after the decision")
    #expect(usual > 90, "\(usual) ms without")
    #expect(prompts == 1, "what was begun ahead is the answer, not a second one")
    #expect(frames.story == later.story)
    #expect(frames.text == later.text)
  }

  @Test func whoGoesOnLeavesNoTraceOfTheAnswerBegun() throws {
    try simulated { runtime in
      let recogniser = CountingRecogniser(runtime: runtime)
      let bench = try await SessionBench(runtime, recogniser: recogniser, hasMedia: true)
      let (reader, device) = try await call(bench)
      try await device.capture(milliseconds: 1_000, isSpeech: false)
      try await device.capture(milliseconds: 1_000, isSpeech: true)
      try await device.capture(milliseconds: 440, isSpeech: false)
      #expect(bench.model.prompts.count == 1)
      #expect(bench.voice.spoken.count == 1, "the first clause was made")
      try await device.capture(milliseconds: 1_000, isSpeech: true)
      try await device.capture(milliseconds: 8_000, isSpeech: false)
      let frames = await reader.until(.turn)
      #expect(frames.filter { $0.type == .heard }.count == 1)
      #expect(frames.filter { $0.type == .responding }.count == 1)
      #expect(bench.model.prompts.count == 2)
      #expect(bench.voice.takenBack == 1)
      try await runtime.sleep(for: .milliseconds(10))
      #expect(await bench.session.record.usage.outputTokens == 3, "one answer is charged")
      #expect(await bench.storedTurns().count == 1)
      let counters = await bench.session.aheadCounters
      #expect(counters == AheadCounters(begun: 2, taken: 1, forgotten: 1))
    }
  }
}
