import CVoiceCore
import CVoiceDSP
import Testing

/// Here with the energy detector; the network's own judgement is tested where it lives.
@Suite struct LocalSpeechTests {
  /// A quiet room with one utterance from `first` to `last`.
  private func room(first: Int, last: Int, frames: Int) -> [Float] {
    let speech = syntheticSpeech(seconds: Double(last - first) / 48_000, seed: 1)
    return (0..<frames).map { index in
      let hiss = Float((index &* 7_919) % 101 - 50) * 1e-5
      return hiss + (index >= first && index < last ? speech[index - first] : 0)
    }
  }

  @Test func speechIsToldOnceAndBackDatedToItsEnds() throws {
    let core = try SteppedCore()
    core.run(near: room(first: 96_000, last: 108_000, frames: 192_000))
    let started = core.events(VC_EVENT_LOCAL_SPEECH_STARTED)
    let stopped = core.events(VC_EVENT_LOCAL_SPEECH_STOPPED)
    #expect(started.count == 1)
    #expect(stopped.count == 1)
    // A window is 1,536 frames; the utterance begins with a syllable that fades out at 3,800.
    #expect(abs(Int(started.first?.timestamp ?? 0) - 96_000) <= 2 * 1_536)
    #expect(Int(stopped.first?.timestamp ?? 0) > 96_000)
    #expect(Int(stopped.first?.timestamp ?? 0) <= 108_000 + 6 * 1_536)
  }

  @Test func aQuietRoomDoesNotSpeak() throws {
    let core = try SteppedCore()
    core.run(near: room(first: 0, last: 0, frames: 144_000))
    #expect(core.events(VC_EVENT_LOCAL_SPEECH_STARTED).isEmpty)
  }

  @Test func aMuteEndsTheSpeech() throws {
    let core = try SteppedCore()
    let sound = room(first: 48_000, last: 144_000, frames: 144_000)
    core.run(near: Array(sound[..<72_000]))
    #expect(core.events(VC_EVENT_LOCAL_SPEECH_STARTED).count == 1)
    core.isMuted = true
    core.run(near: Array(sound[72_000...]))
    #expect(core.events(VC_EVENT_LOCAL_SPEECH_STARTED).count == 1)
    #expect(core.events(VC_EVENT_LOCAL_SPEECH_STOPPED).count == 1)
  }
}
