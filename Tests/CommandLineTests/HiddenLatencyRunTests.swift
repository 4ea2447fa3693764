import Foundation
import SessionsModel
import Testing
import VoiceProgram

/// The whole product on a card that hides a part of its latency: what it hides is found by the voice
/// of the real engine, through the call, and kept for the next conversation.
@Suite(.serialized) struct HiddenLatencyRunTests {
  /// The agent greets once. Returns the frames that are kept of the card; `nil` when none are.
  private func keptAfterAGreeting(hidden: Int) async throws -> Int? {
    try VoiceProgram.requireModels()
    let machine = try SoundMachine(echo: 6, hidden: hidden)
    defer { machine.place.remove() }
    try machine.plug("Phone")
    _ = try machine.place.writeConfiguration(agent: [
      "greeting: >-",
      "  Good morning, and welcome to this house. I can tell you where things are, what the weather",
      "  will be like, and when the next train leaves. What is it that you would like to know?",
    ])
    let ending = try await RealTime.shared.alone {
      let process = try await VoiceProcess.start(
        ["run", "--json", "--config", machine.place.file("router.yaml").path],
        environment: machine.environment, limit: .seconds(90))
      _ = await process.line { $0.contains(#""state":"speaking""#) }
      _ = await process.line { $0.contains(#""state":"idle""#) }
      process.signal(SIGINT)
      return await process.ending()
    }
    #expect(ending.output.contains { $0.contains(#""state":"speaking""#) }, "\(ending)")
    guard let data = try? Data(contentsOf: machine.place.file("data/latency.json")) else {
      return nil  // Nothing was found: the file is only written then.
    }
    return try JSONDecoder().decode([String: Int].self, from: data)["card:Phone"]
  }

  @Test func whatTheCardHidesIsFoundByTheAgentsGreeting() async throws {
    let frames = try #require(try await keptAfterAGreeting(hidden: 80))
    print("80 ms hidden, found \(Double(frames) / 48) ms")
    #expect(abs(frames - 80 * 48) <= 96)
  }

  /// The control.
  @Test func ofACardThatHidesNothingNothingIsKept() async throws {
    let frames = try await keptAfterAGreeting(hidden: 0)
    #expect(frames == nil)
  }
}
