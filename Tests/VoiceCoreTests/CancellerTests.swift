import CVoiceCore
import CVoiceDSP
import Testing

@Suite struct CancellerTests {
  private func residual(cancels: UInt8, playDelay: Int) throws -> Double {
    let core = try SteppedCore(playDelay: playDelay, echoGain: 0.5, echoDelay: 240) {
      $0.half_duplex = 0
      // Heard without a canceller the agent would yield to itself, and there would be no echo.
      $0.yields = 0
      $0.suppresses_noise = 0
      $0.cancels_echo = cancels
    }
    core.run(blocks: 600, packets: try packets(of: syntheticSpeech(seconds: 5.5, seed: 3)))
    // From the third second on, while the agent speaks.
    return decibels(try decoded(core.uplink)[144_000..<240_000])
  }

  /// A room of one path is easy; less than 20 dB would mean a reference out of line.
  @Test(arguments: [480, 1_440, 12_000, 33_600])
  func theEchoIsCancelledWhateverTheDeviceBuffers(playDelay: Int) throws {
    let plain = try residual(cancels: 0, playDelay: playDelay)
    let cancelled = try residual(cancels: 1, playDelay: playDelay)
    print("echo return loss enhancement at \(playDelay) frames: \(plain - cancelled) dB")
    #expect(plain - cancelled > 20)
  }
}
