import Networking
import Simulation
import Testing

@testable import Providers

@Suite struct FallbackSpeechToTextTests {
  /// The words of one utterance of 200 ms, and how long they took from its end.
  private func words(
    _ first: FaultPlan, _ second: FaultPlan = FaultPlan(), route: [String] = ["a", "b"]
  ) throws -> (text: String?, error: ProviderError?, after: Duration) {
    try simulated { runtime in
      var registry = ProviderRegistry(runtime: runtime)
      registry.add(
        ScriptedSpeechToText(runtime: runtime, lines: ["first"], faults: first), named: "a")
      registry.add(
        ScriptedSpeechToText(runtime: runtime, lines: ["second"], faults: second), named: "b")
      registry.addRoute("stt-fast", to: route)
      let recogniser = try #require(registry.speechToText("stt-fast"))
      var start = runtime.now
      do throws(ProviderError) {
        let request = try await recogniser.begin()
        await request.append([Int16](repeating: 1, count: 3_200))
        start = runtime.now
        return (try await request.finish().text, nil, runtime.now - start)
      } catch {
        return (nil, error, runtime.now - start)
      }
    }
  }

  @Test func theFirstIsEnoughWhileItIsWell() throws {
    #expect(try words(FaultPlan()).text == "first")
  }

  @Test(arguments: [ProviderFault.crash, .rateLimited, .stall(.seconds(5))])
  func theNextGetsTheWholeUtteranceWithinTheBudget(_ fault: ProviderFault) throws {
    let result = try words(FaultPlan([0: fault]))
    #expect(result.text == "second")
    #expect(result.after <= .seconds(2))
    // Without somebody who stands by, the same fault leaves nothing (the control).
    let alone = try words(FaultPlan([0: fault]), route: ["a"])
    #expect(alone.text == nil || alone.after > .seconds(2))
  }

  @Test func theReasonOfTheLastOneIsTold() throws {
    let result = try words(FaultPlan([0: .rateLimited]), FaultPlan([0: .crash]))
    #expect(result.error == .unavailable("The scripted worker died in mid-request."))
  }
}
