import Networking
import Providers
import Testing

/// The voice that needs no model file, as the real program.
struct FliteTextToSpeechTests {
  @Test func aLineBecomesSound() async throws {
    let runtime = LoopRuntime()
    let reply = try await FliteTextToSpeech(runtime: runtime).speak("I heard you.", voice: "")
    var samples: [Int16] = []
    while let more = try await reply.next() { samples += more }
    #expect(samples.count > 8_000, "less than half a second of speech")
    #expect(samples.contains { $0 > 3_000 })
    await runtime.stop()
  }

  @Test func aMissingProgramIsAnErrorThatNamesThePackage() async throws {
    let runtime = LoopRuntime()
    let voice = FliteTextToSpeech(runtime: runtime, program: "no-such-flite")
    let reply = try await voice.speak("I heard you.", voice: "")
    await #expect {
      _ = try await reply.next()
    } throws: {
      "\($0)".contains("apt-get install flite")
    }
    await runtime.stop()
  }
}
