import Testing

@testable import VoiceEngine

/// A speaker whose clock is another than the microphone's, as the engine tells of it.
@Suite struct TwoClocksTests {
  private func makeDevice(ppm: Double, hidden: Int = 0, isTold: Bool = true) throws
    -> SimulatedVoiceDevice
  {
    var configuration = VoiceDeviceConfiguration()
    configuration.cancelsEcho = false
    configuration.suppressesNoise = false
    configuration.hiddenLatencyFrames = isTold ? hidden : 0
    var acoustics = SimulatedAcoustics()
    acoustics.playbackFrames = 4_800
    acoustics.playbackPPM = ppm
    acoustics.hiddenLatencyFrames = hidden
    acoustics.wakeJitterFrames = 240
    acoustics.reportJitterFrames = 12
    acoustics.echoGain = 0
    let device = try SimulatedVoiceDevice(configuration: configuration, acoustics: acoustics)
    try device.start()
    return device
  }

  /// Lets time pass. Returns what was heard at the speaker, what the engine told, and how far its
  /// clock was from the room's at most, in ms, from `from` on.
  private func pass(_ device: SimulatedVoiceDevice, blocks: Int, clockFrom from: Int = .max) -> (
    speaker: [Float], outputs: [VoiceDeviceOutput], clockError: Double
  ) {
    var passed: (speaker: [Float], outputs: [VoiceDeviceOutput], clockError: Double) = ([], [], 0)
    for block in 0..<blocks {
      passed.speaker += device.step().speaker
      device.drain { passed.outputs.append($0) }
      guard block >= from else { continue }
      let playout = device.playout
      // The converter between the clocks holds 16 frames ahead of what is written next.
      let said = Double(playout.now) + Double(playout.delayFrames) - 16
      passed.clockError = max(passed.clockError, abs(said - device.nextHeardFrame) / 48)
    }
    return passed
  }

  @Test(arguments: [-500.0, -37, 250, 500])
  func theDriftIsToldWithinAMinuteAndSpeechIsReportedWhenItIsHeard(ppm: Double) throws {
    let device = try makeDevice(ppm: ppm)
    _ = pass(device, blocks: 6_000)
    #expect(abs(device.playout.driftPPM - ppm) < 1)
    #expect(device.playout.isDriftLocked)
    for packet in tone(generation: 1, packets: 100) { #expect(device.receive(packet)) }
    let (speaker, outputs, clockError) = pass(device, blocks: 300, clockFrom: 0)
    #expect(clockError <= 2)
    var started: UInt32?
    var last: PlayoutProgress?
    for output in outputs {
      if case .speaking(true, let timestamp) = output { started = timestamp }
      if case .played(let progress) = output { last = progress }
    }
    let first = try #require(speaker.firstIndex { abs($0) > 0.01 })
    #expect(abs(Int(try #require(started)) - (6_000 * 480 + first)) <= 96)
    #expect(last?.isFinished == true && last?.playedFrames == 48_000)
  }

  @Test func whatABreakOfTheSpeakerThrewAwayDoesNotCountAsHeard() throws {
    let device = try makeDevice(ppm: 200)
    _ = pass(device, blocks: 3_000)
    for packet in tone(generation: 1, packets: 100) { #expect(device.receive(packet)) }
    var passed = pass(device, blocks: 60)
    device.breakOff(.playback)
    let rest = pass(device, blocks: 200, clockFrom: 8)
    passed.speaker += rest.speaker
    passed.outputs += rest.outputs
    #expect(rest.clockError <= 2)
    let progress = passed.outputs.compactMap { output -> PlayoutProgress? in
      if case .played(let progress) = output { progress } else { nil }
    }
    let audible = passed.speaker.count { abs($0) > 0.05 }
    #expect(audible < 45_000)
    let told = try #require(progress.last)
    // A square wave: around each of its edges a few samples are small.
    #expect(abs(Int(told.playedFrames) - audible) <= audible / 20)
    #expect(told.playedFrames < 45_000)
  }

  @Test func latencyThatTheDeviceHidesIsInTheClockOnceItIsGiven() throws {
    let given = try makeDevice(ppm: 0, hidden: 7_200)
    #expect(pass(given, blocks: 200, clockFrom: 50).clockError <= 2)
    #expect(given.playout.hiddenLatencyFrames == 7_200)
    let hidden = try makeDevice(ppm: 0, hidden: 7_200, isTold: false)
    #expect(abs(pass(hidden, blocks: 200, clockFrom: 50).clockError - 150) <= 2)
  }
}
