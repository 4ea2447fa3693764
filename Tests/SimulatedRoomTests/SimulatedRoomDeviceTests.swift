import CAlsa
import Glibc
import SimulatedRoomControl
import Testing

/// The room as a device: errors as a kernel device gives them, and one table of rooms.
struct SimulatedRoomDeviceTests {
  /// The errno of a call, 0 when it succeeded.
  private func code(_ body: () throws -> Void) -> Int32 {
    do {
      try body()
      return 0
    } catch let error as AlsaError {
      return -error.code
    } catch {
      return -1
    }
  }

  @Test func aStalledListenerOverrunsAndRecovers() throws {
    let fixture = try RoomFixture("overrun")
    defer { fixture.remove() }
    let capture = try fixture.open(.capture, buffer: 1_920)
    try capture.start()
    try fixture.room.advance(by: 1_920 - 1)
    #expect(capture.avail == 1_919)
    try fixture.room.advance(by: 480)
    #expect(capture.avail == Int(-EPIPE))
    #expect(capture.state == SND_PCM_STATE_XRUN)
    #expect(code { _ = try capture.read(480) } == EPIPE)
    #expect(fixture.room.counters.captureXruns == 1)
    try check("prepare", snd_pcm_prepare(capture.pcm))
    try capture.start()
    let speech = noise(480, seed: 8)
    _ = try fixture.room.say(speech)
    try fixture.room.advance(by: 960)
    #expect(try capture.read(960) == [Int16](repeating: 0, count: 480) + speech)
  }

  @Test func aStalledSpeakerUnderrunsAndTheRecordingIsSilentMeanwhile() throws {
    let fixture = try RoomFixture("underrun", records: true)
    defer { fixture.remove() }
    let playback = try fixture.open(.playback)
    let speech = noise(960, seed: 9)
    #expect(playback.write(speech) == 960)
    try playback.start()
    try fixture.room.advance(by: 480)
    #expect(playback.state == SND_PCM_STATE_RUNNING)
    try fixture.room.advance(by: 2_400)
    #expect(playback.write(speech) == Int(-EPIPE))
    #expect(playback.state == SND_PCM_STATE_XRUN)
    try check("prepare", snd_pcm_prepare(playback.pcm))
    #expect(playback.write(speech) == 960)
    try playback.start()
    try fixture.room.advance(by: 480)
    try fixture.room.flush()
    let recording = try StereoRecording(path: fixture.recordingPath)
    let gap = [Int16](repeating: 0, count: 1_920)
    #expect(recording.speaker == speech + gap + speech.prefix(480))
    #expect(fixture.room.counters.playbackXruns == 1)
  }

  @Test func aSpeakerWithNothingToPlayDoesNotStart() throws {
    let fixture = try RoomFixture("empty-start")
    defer { fixture.remove() }
    let playback = try fixture.open(.playback)
    #expect(code { try playback.start() } == EPIPE)
  }

  @Test func drainingPlaysToTheEndWithoutAnUnderrun() throws {
    // alsa-lib 1.2.8 waits in a plugin's drain even when opened non-blocking: real time it is.
    let fixture = try RoomFixture("drain", manualTime: false)
    defer { fixture.remove() }
    let playback = try fixture.open(.playback)
    #expect(playback.write(noise(700, seed: 10)) == 700)
    try playback.start()
    #expect(snd_pcm_drain(playback.pcm) == 0)
    #expect(playback.state == SND_PCM_STATE_SETUP)
    #expect(fixture.room.counters.playedFrames == 700)
    #expect(fixture.room.counters.playbackXruns == 0)
  }

  @Test func injectedFaultsLookLikeAKernelDevices() throws {
    let fixture = try RoomFixture("faults")
    defer { fixture.remove() }
    let capture = try fixture.open(.capture)
    try capture.start()
    try fixture.room.inject(.xrun, .capture)
    #expect(code { _ = try capture.read(480) } != 0)
    #expect(capture.state == SND_PCM_STATE_XRUN)
    try check("prepare", snd_pcm_prepare(capture.pcm))
    try capture.start()
    try fixture.room.advance(by: 480)
    try fixture.room.inject(.suspend, .capture)
    _ = capture.avail
    #expect(capture.state == SND_PCM_STATE_SUSPENDED)
    try check("resume", snd_pcm_resume(capture.pcm))
    #expect(capture.state == SND_PCM_STATE_RUNNING)
    try fixture.room.advance(by: 480)
    #expect(capture.avail == 960)
    try fixture.room.inject(.stall, .capture, frames: 480)
    try fixture.room.advance(by: 480)
    #expect(capture.avail == 960)
    try fixture.room.advance(by: 480)
    #expect(capture.avail == 1_440)
  }

  @Test func anUnpluggedDeviceIsGoneUntilItIsPluggedInAgain() throws {
    let fixture = try RoomFixture("unplug")
    defer { fixture.remove() }
    do {
      let capture = try fixture.open(.capture)
      try capture.start()
      try fixture.room.inject(.unplug)
      _ = capture.avail
      #expect(capture.state == SND_PCM_STATE_DISCONNECTED)
      #expect(code { _ = try capture.read(480) } == ENODEV)
      #expect(snd_pcm_prepare(capture.pcm) == -ENODEV)
    }
    #expect(code { _ = try fixture.open(.capture) } == ENODEV)
    try fixture.room.inject(.replug)
    #expect(code { _ = try fixture.open(.capture) } == 0)
  }

  @Test func aSecondOpenOfOneDirectionIsBusy() throws {
    let fixture = try RoomFixture("busy")
    defer { fixture.remove() }
    let capture = try fixture.open(.capture)
    #expect(code { _ = try fixture.open(.capture) } == EBUSY)
    #expect(code { _ = try fixture.open(.playback) } == 0)
    _ = capture
  }

  @Test func alsaAndTheControlFunctionsSeeOneRoomByName() throws {
    let fixture = try RoomFixture("one-table")
    defer { fixture.remove() }
    #expect(fixture.room.streamStart(.capture) == nil)
    let capture = try fixture.open(.capture)
    try capture.start()
    #expect(fixture.room.streamStart(.capture) == 0)
    let sameRoom = try SimulatedRoomLibrary().room(named: "one-table")
    #expect(sameRoom.streamStart(.capture) == 0)
    let another = try SimulatedRoomLibrary().room(named: "another")
    #expect(another.streamStart(.capture) == nil)
    try another.remove()
  }

  @Test func inRealTimePollWakesForEveryPeriod() throws {
    let fixture = try RoomFixture("real-time", manualTime: false)
    defer { fixture.remove() }
    // Buffers of more than a second: a busy machine delays the test but cannot fail it.
    let playback = try fixture.open(.playback, buffer: 57_600)
    let capture = try fixture.open(.capture, buffer: 57_600)
    let played = noise(24_000, seed: 11)
    #expect(playback.write(played + [Int16](repeating: 0, count: 24_000)) == 48_000)
    try capture.start()
    try playback.start()
    let shift =
      try #require(fixture.room.streamStart(.playback))
      - #require(fixture.room.streamStart(.capture))
    var heard: [Int16] = []
    while heard.count < 14_400 {
      #expect(snd_pcm_wait(capture.pcm, 5_000) == 1)
      heard += try capture.read(480)
    }
    #expect(Array(heard.dropFirst(Int(shift))) == Array(played.prefix(heard.count - Int(shift))))
    #expect(fixture.room.counters.captureXruns == 0)
  }

  @Test func aMissingLibraryIsNamed() {
    #expect {
      try SimulatedRoomLibrary(path: "/nowhere/libSimulatedRoom.so")
    } throws: { error in
      "\(error)".contains("/nowhere/libSimulatedRoom.so")
    }
  }
}
