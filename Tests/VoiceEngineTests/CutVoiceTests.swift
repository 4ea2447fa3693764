import SimulatedRoomControl
import Testing

@testable import VoiceEngine

/// How long the agent is still heard after its voice was cut: through ALSA, on the simulated room.
///
/// What the device holds when that happens is played: 30 ms by default, which the audio thread keeps
/// there and no more. Taking it back (`snd_pcm_rewind`) would gain what lies beyond the one period that
/// the hardware may be reading already, 15 ms of these, at the price of a second splice and of a voice
/// that goes on from the wrong place after a false alarm. So it is not done; the level is kept low.
@Suite(.serialized) struct CutVoiceTests {
  /// - Returns: from the cut to the last audible sample, in ms.
  private static func tail(prefill: Int) throws -> Double {
    let live = try LiveRoom { $0.prefillPeriods = prefill }
    try live.start()
    try live.pass(blocks: 20)
    for packet in tone(generation: 1, packets: 200) { #expect(live.engine.receive(packet)) }
    try live.pass(blocks: 60)
    live.engine.flush(below: 2)
    let cut = 80 * 480
    try live.pass(blocks: 60)
    let capture = Int(try #require(live.room.streamStart(.capture)))
    live.engine.stop()
    let last = try #require(try live.speaker().lastIndex { abs(Int($0)) > 327 })
    return Double(last - capture - cut) / 48
  }

  @Test func aVoiceThatIsCutIsSilentBehindWhatTheDeviceHolds() async {
    await #expect(processExitsWith: .success) {
      let tail = try Self.tail(prefill: 3)
      // One block until it is known, three in the device, one to fade.
      #expect(tail > 20 && tail <= 50, "\(tail) ms")
    }
  }

  @Test func whoKeepsMoreInTheDeviceHearsItForLonger() async {
    await #expect(processExitsWith: .success) {
      let tail = try Self.tail(prefill: 7)
      #expect(tail > 60 && tail <= 90, "\(tail) ms")
    }
  }
}
