import CAlsa
import Foundation
import SimulatedRoomControl
import Testing

/// What goes through the air of the room, and what the recording says of it.
struct SimulatedRoomAirTests {
  /// Plays `played` and captures as many frames, period by period, both from one frame on.
  private func loop(
    _ fixture: RoomFixture, playing played: [Int16], periods: Int,
    format: snd_pcm_format_t = SND_PCM_FORMAT_S16_LE, channels: UInt32 = 1,
    access: snd_pcm_access_t = SND_PCM_ACCESS_RW_INTERLEAVED
  ) throws -> [Int16] {
    let playback = try fixture.open(.playback, format: format, channels: channels, access: access)
    let capture = try fixture.open(.capture, format: format, channels: channels, access: access)
    let silence = [Int16](repeating: 0, count: periods * 480)
    let samples = Array((played + silence).prefix((periods + 4) * 480))
    var written = 0
    func feed(_ count: Int) {
      let chunk = Array(samples[written..<min(samples.count, written + count)])
      written += max(0, playback.write(chunk))
    }
    feed(4 * 480)
    try playback.start()
    try capture.start()
    var heard: [Int16] = []
    for _ in 0..<periods {
      try fixture.room.advance(by: 480)
      heard += try capture.read(480)
      feed(480)
    }
    return heard
  }

  @Test func theEchoComesBackWithTheConfiguredDelayAndLevel() throws {
    let acoustics = SimulatedRoomAcoustics(
      echoReturnLossDB: 6, delayMS: 12, rt60MS: 0, noiseDBFS: -200)
    let fixture = try RoomFixture("echo-delay", acoustics: acoustics)
    defer { fixture.remove() }
    let played = noise(2_400, seed: 1)
    let heard = try loop(fixture, playing: played, periods: 10)
    #expect(heard.prefix(576).allSatisfy { $0 == 0 })
    let expected = played.map { Double($0) * pow(10, -6.0 / 20) }
    let worst = zip(heard.dropFirst(576), expected).map { abs(Double($0) - $1) }.max() ?? .infinity
    #expect(worst <= 0.51)
  }

  @Test(arguments: [0.0, 6, 20]) func aReverberantEchoHasTheConfiguredEnergy(loss: Double) throws {
    let acoustics = SimulatedRoomAcoustics(
      echoReturnLossDB: loss, delayMS: 10, rt60MS: 200, noiseDBFS: -200)
    let fixture = try RoomFixture("echo-energy-\(loss)", acoustics: acoustics)
    defer { fixture.remove() }
    let played = noise(48_000, seed: 2)
    let heard = try loop(fixture, playing: played, periods: 125)
    func energy(_ samples: [Int16]) -> Double { samples.reduce(0) { $0 + Double($1) * Double($1) } }
    let measured = 10 * log10(energy(played) / energy(heard))
    #expect(abs(measured - loss) < 0.5)
  }

  @Test func theNoiseFloorHasTheConfiguredLevelAndIsTheSameEveryTime() throws {
    let acoustics = SimulatedRoomAcoustics(
      echoReturnLossDB: 200, delayMS: 0, rt60MS: 0, noiseDBFS: -50, seed: 7)
    let runs = try (0..<2).map { run in
      let fixture = try RoomFixture("noise-\(run)", acoustics: acoustics)
      defer { fixture.remove() }
      return try loop(fixture, playing: [], periods: 100)
    }
    let power = runs[0].reduce(0) { $0 + Double($1) * Double($1) } / Double(runs[0].count)
    #expect(abs(10 * log10(power) - 20 * log10(32_768) + 50) < 0.3)
    #expect(runs[0] == runs[1])
  }

  @Test(arguments: [
    SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S32_LE, SND_PCM_FORMAT_FLOAT_LE,
  ])
  func everyFormatChannelCountAndAccessLoopsBitForBit(format: snd_pcm_format_t) throws {
    for channels in [UInt32(1), 2] {
      for access in [SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_MMAP_INTERLEAVED] {
        let fixture = try RoomFixture("loop-\(format.rawValue)-\(channels)-\(access.rawValue)")
        defer { fixture.remove() }
        let played = noise(30 * 480, seed: 3)
        let heard = try loop(
          fixture, playing: played, periods: 30, format: format, channels: channels,
          access: access)
        #expect(heard == played, "\(format) \(channels) \(access)")
      }
    }
  }

  @Test func theNearEndArrivesBitForBitWhereSayPutIt() throws {
    let fixture = try RoomFixture("near-end")
    defer { fixture.remove() }
    let capture = try fixture.open(.capture)
    try capture.start()
    var heard: [Int16] = []
    func listen(_ periods: Int) throws {
      for _ in 0..<periods {
        try fixture.room.advance(by: 480)
        heard += try capture.read(480)
      }
    }
    try listen(3)
    let first = noise(1_000, seed: 4)
    let second = noise(700, seed: 5)
    let starts = [try fixture.room.say(first), try fixture.room.say(second)]
    #expect(starts == [1_920, 2_920])
    #expect(!fixture.room.nearEndIsIdle)
    try listen(6)
    #expect(fixture.room.nearEndIsIdle)
    let origin = Int(try #require(fixture.room.streamStart(.capture)))
    let from = Int(starts[0]) - origin
    #expect(Array(heard[from..<from + 1_700]) == first + second)
    #expect(heard.prefix(from).allSatisfy { $0 == 0 })
    #expect(heard.dropFirst(from + 1_700).allSatisfy { $0 == 0 })
  }

  @Test func aSeventeenthUtteranceIsRefusedAndCounted() throws {
    let fixture = try RoomFixture("near-end-bound")
    defer { fixture.remove() }
    for _ in 0..<16 { _ = try fixture.room.say([1, 2, 3]) }
    #expect(throws: SimulatedRoomError.self) { try fixture.room.say([4]) }
    #expect(fixture.room.counters.utterances == 16)
    #expect(fixture.room.counters.utterancesRefused == 1)
  }

  @Test func theRecordingIsWhatWasCapturedAndPlayedSampleForSample() throws {
    let acoustics = SimulatedRoomAcoustics(
      echoReturnLossDB: 12, delayMS: 3, rt60MS: 50, noiseDBFS: -60)
    let fixture = try RoomFixture("recording", acoustics: acoustics, records: true)
    defer { fixture.remove() }
    let said = try fixture.room.say(noise(600, seed: 6))
    let played = noise(20 * 480, seed: 7)
    let heard = try loop(fixture, playing: played, periods: 20)
    try fixture.room.advance(by: 960)  // nobody plays or listens any more
    try fixture.room.flush()
    let recording = try StereoRecording(path: fixture.recordingPath)
    #expect(recording.headerIsTrue)
    #expect(recording.microphone == heard + [Int16](repeating: 0, count: 960))
    #expect(recording.speaker == played + [Int16](repeating: 0, count: 960))
    let list = try String(contentsOfFile: fixture.listPath, encoding: .utf8)
    #expect(list.contains("{\"start_frame\":\(said),\"frames\":600}"))
    #expect(fixture.room.counters.recorderDroppedFrames == 0)
  }

  @Test func aRecordingThatIsStillGoingOnIsReadable() throws {
    let fixture = try RoomFixture("recording-alive", records: true)
    defer { fixture.remove() }
    let capture = try fixture.open(.capture)
    try capture.start()
    for period in 1...5 {
      try fixture.room.advance(by: 480)
      _ = try capture.read(480)
      try fixture.room.flush()
      let recording = try StereoRecording(path: fixture.recordingPath)
      #expect(recording.headerIsTrue)
      #expect(recording.microphone.count == period * 480)
    }
  }
}
