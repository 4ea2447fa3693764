import Networking
import Providers
import SessionsModel
import Simulation
import Stores
import Testing

@testable import AgentRouter

/// People who go on although their turn was thought to be over.
@Suite struct GoingOnTests {
  private func call(_ bench: SessionBench) async throws -> (FrameReader, DeviceDouble) {
    let reader = await bench.watch()
    _ = try await bench.session.startVoice()
    let device = try DeviceDouble(bench, reader.watcher)
    try await device.join(reader)
    try await device.capture(milliseconds: 1_000, isSpeech: false)
    return (reader, device)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func whoGoesOnBeforeTheAnswerIsHeardGetsOneAnswerToAllOfIt(seed: UInt64) throws {
    try simulated(seed: seed) { runtime in
      let bench = try await SessionBench(
        runtime, answers: ["I want to reset the panel": "Done."],
        lines: ["I want to reset the", "panel"], modelDelay: .milliseconds(400), hasMedia: true
      ) { $0.turn.isAhead = false }
      let (reader, device) = try await call(bench)
      try await device.capture(milliseconds: 1_000, isSpeech: true)
      try await device.capture(milliseconds: 700, isSpeech: false)
      try await device.capture(milliseconds: 600, isSpeech: true)
      try await device.capture(milliseconds: 8_000, isSpeech: false)
      var frames = await reader.until(.turn)
      #expect(frames.first(.turn)?["interrupted"] == true)
      frames = await reader.until(.turn)
      #expect(frames.first(.heard)?["text"] == "I want to reset the panel")
      #expect(frames.first(.turn)?["interrupted"] == false)
      #expect(bench.voice.spoken == ["Done."])
      let asked = try #require(bench.model.prompts.last)
      #expect(
        asked.messages.filter { $0.role == .user }.map(\.content) == ["I want to reset the panel"],
        "the words stand in the history once")
    }
  }

  @Test func aNoiseThatTookAnAnswerBackIsAnsweredAllTheSame() throws {
    try simulated { runtime in
      let bench = try await SessionBench(
        runtime, answers: ["How late is it?": "It is noon."], lines: ["How late is it?", ""],
        modelDelay: .milliseconds(400), hasMedia: true
      ) { $0.turn.isAhead = false }
      let (reader, device) = try await call(bench)
      try await device.capture(milliseconds: 1_000, isSpeech: true)
      try await device.capture(milliseconds: 700, isSpeech: false)
      try await device.capture(milliseconds: 140, isSpeech: true)
      try await device.capture(milliseconds: 8_000, isSpeech: false)
      _ = await reader.until(.turn)
      let frames = await reader.until(.turn)
      #expect(frames.text == "It is noon.")
      #expect(bench.voice.spoken == ["It is noon."])
    }
  }
}
