import CVoiceCore
import CVoiceDSP
import Testing

/// The agent speaks for two seconds, the room returns it to the microphone, nobody else speaks.
@Suite struct GateTests {
  private func uplink(
    echoGain: Float, playDelay: Int = 1_440, configure: (inout vc_config) -> Void
  ) throws -> (sound: [Float], core: SteppedCore) {
    let core = try SteppedCore(
      playDelay: playDelay, echoGain: echoGain, echoDelay: 480, configure: configure)
    core.run(blocks: 50)
    core.run(blocks: 320, packets: try packets(of: syntheticSpeech(seconds: 2, seed: 3)))
    return (try decoded(core.uplink), core)
  }

  @Test(arguments: [Float(1), 0.5], [480, 1_440, 12_000, 33_600])
  func theAgentNeverHearsItself(echoGain: Float, playDelay: Int) throws {
    let (sound, core) = try uplink(echoGain: echoGain, playDelay: playDelay) {
      $0.cancels_echo = 0  // The gate alone.
    }
    #expect(decibels(sound) < -70)
    #expect(core.events(VC_EVENT_LOCAL_SPEECH_STARTED).isEmpty)
  }

  @Test func withoutGateAndCancellerTheEchoLeaves() throws {
    let (sound, core) = try uplink(echoGain: 1) {
      $0.half_duplex = 0
      $0.cancels_echo = 0
    }
    #expect(decibels(sound) > -35)
    #expect(core.events(VC_EVENT_LOCAL_SPEECH_STARTED).count >= 1)
  }

  @Test func thePersonIsHeardAgainAfterTheRoomTail() throws {
    let core = try SteppedCore(echoGain: 0.5)
    core.run(blocks: 120, packets: try packets(of: syntheticSpeech(seconds: 0.5, seed: 3)))
    let speech = syntheticSpeech(seconds: 1, seed: 1)
    core.run(near: speech)
    #expect(decibels(try decoded(core.uplink).suffix(40_000)) > -30)
    #expect(core.events(VC_EVENT_LOCAL_SPEECH_STARTED).count == 1)
  }

  @Test func theGateOpensTwoHundredMillisecondsAfterTheLastSampleHeard() throws {
    let core = try SteppedCore { $0.cancels_echo = 0 }
    let noise = syntheticSpeech(seconds: 3, seed: 1)
    core.run(near: noise, packets: try packets(of: syntheticSpeech(seconds: 1, seed: 3)))
    let stopped = try #require(core.events(VC_EVENT_SPEAKING_STOPPED).first).timestamp
    let sound = try decoded(core.uplink)
    let shut = sound[(Int(stopped) - 24_000)..<(Int(stopped) + 9_500)]
    let open = sound[(Int(stopped) + 11_000)..<(Int(stopped) + 30_000)]
    #expect(decibels(shut) < -70)
    #expect(decibels(open) > -30)
  }
}
