import CVoiceDSP
import Testing

@testable import VoiceEngine

/// The simulated device knows when each sample is heard; the clock must say the same.
@Suite struct PlayoutClockTests {
  struct Buffering: Sendable, CustomTestStringConvertible {
    var playback: Int
    var waiting: Int = 0
    var hidden: Int = 0
    var testDescription: String { "\(playback) ahead, \(waiting) waiting, \(hidden) hidden" }
  }

  private func makeDevice(_ buffering: Buffering) throws -> SimulatedVoiceDevice {
    var configuration = VoiceDeviceConfiguration()
    configuration.hiddenLatencyFrames = buffering.hidden
    var acoustics = SimulatedAcoustics()
    acoustics.playbackFrames = buffering.playback
    acoustics.captureWaitingFrames = buffering.waiting
    acoustics.hiddenLatencyFrames = buffering.hidden
    return try SimulatedVoiceDevice(configuration: configuration, acoustics: acoustics)
  }

  @Test(arguments: [
    Buffering(playback: 960), Buffering(playback: 1_440), Buffering(playback: 4_800),
    Buffering(playback: 33_600), Buffering(playback: 1_440, waiting: 1_000),
    Buffering(playback: 1_440, hidden: 2_400),
    Buffering(playback: 7_001, waiting: 333, hidden: 14_400),
  ])
  func speechIsReportedWhenTheRoomHearsIt(buffering: Buffering) throws {
    let device = try makeDevice(buffering)
    try device.start()
    var heard: [Float] = []
    var outputs: [VoiceDeviceOutput] = []
    for block in 0..<260 {
      if block == 20 {
        for packet in tone(generation: 1, packets: 60) { #expect(device.receive(packet)) }
      }
      heard += device.step().speaker
      device.drain { outputs.append($0) }
    }
    let first = try #require(heard.firstIndex { abs($0) > 0.01 })
    let last = try #require(heard.lastIndex { $0 != 0 })
    var started: UInt32?
    var stopped: UInt32?
    var progress: [PlayoutProgress] = []
    for output in outputs {
      switch output {
      case .speaking(true, let timestamp): started = timestamp
      case .speaking(false, let timestamp): stopped = timestamp
      case .played(let played): progress.append(played)
      default: break
      }
    }
    // 96 frames are the 2 ms that are promised; here the device is exact, and so is the clock.
    #expect(started == UInt32(first))
    #expect(stopped == UInt32(last + 1))
    #expect(progress.last?.isFinished == true)
    #expect(progress.last?.playedFrames == 28_800)
    #expect(progress.allSatisfy { $0.startedAt == UInt32(first) })
    #expect(device.playout.isAudible == false)
  }

  @Test func progressIsToldAtLeastEvery200Milliseconds() throws {
    let device = try makeDevice(Buffering(playback: 1_440))
    try device.start()
    for packet in tone(generation: 1, packets: 100) { _ = device.receive(packet) }
    var played: [UInt64] = []
    for _ in 0..<130 {
      device.step()
      device.drain { if case .played(let progress) = $0 { played.append(progress.playedFrames) } }
    }
    #expect(played.last == 48_000)
    #expect(zip([0] + played, played).allSatisfy { $1 - $0 <= 9_600 })
  }

  @Test func theClockStaysTrueWhenCaptureTimeIsLost() throws {
    let device = try makeDevice(Buffering(playback: 1_440))
    try device.start()
    var lost = 0
    var heard: [Float] = []
    var started: UInt32?
    for block in 0..<200 {
      if block == 50 {
        device.loseFrames(3_333)
        lost = 3_333
      }
      if block == 60 {
        for packet in tone(generation: 1, packets: 30) { _ = device.receive(packet) }
      }
      heard += device.step().speaker
      device.drain { if case .speaking(true, let timestamp) = $0 { started = timestamp } }
    }
    let first = try #require(heard.firstIndex { $0 != 0 })
    #expect(started == UInt32(first + lost))
  }

  @Test func aFlushedGenerationReportsWhatWasHeardOfIt() throws {
    let device = try makeDevice(Buffering(playback: 4_800))
    try device.start()
    for packet in tone(generation: 1, packets: 200) { _ = device.receive(packet) }
    var heard: [Float] = []
    var last: PlayoutProgress?
    for block in 0..<150 {
      if block == 80 { device.flush(below: 2) }
      heard += device.step().speaker
      device.drain { if case .played(let progress) = $0 { last = progress } }
    }
    #expect(last?.isFlushed == true)
    #expect(last?.isFinished == false)
    let audible = heard.reduce(into: 0) { $0 += $1 != 0 ? 1 : 0 }
    #expect(abs(Int(last?.playedFrames ?? 0) - audible) <= 96)
  }
}
