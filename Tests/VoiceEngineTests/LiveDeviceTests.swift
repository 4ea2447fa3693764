import SimulatedRoomControl
import Testing

@testable import VoiceEngine

/// The audio thread and ALSA for real, time by the room's own clock. Each in a process of its own.
@Suite(.serialized) struct LiveDeviceTests {
  @Test func speechIsReportedWhenTheRoomHearsIt() async {
    await #expect(processExitsWith: .success) {
      let live = try LiveRoom()
      try live.start()
      try live.pass(blocks: 20)
      for packet in tone(generation: 1, packets: 50) { #expect(live.engine.receive(packet)) }
      try live.pass(blocks: 100)
      let capture = try #require(live.room.streamStart(.capture))
      live.engine.stop()
      let heard = try live.speaker()
      let first = try #require(heard.firstIndex { abs(Int($0)) > 327 })
      var started: UInt32?
      var last: PlayoutProgress?
      for output in live.outputs {
        if case .speaking(true, let timestamp) = output { started = timestamp }
        if case .played(let progress) = output { last = progress }
      }
      let truth = first - Int(capture)
      print("heard at \(truth), reported at \(String(describing: started))")
      #expect(abs(Int(try #require(started)) - truth) <= 96)
      #expect(last?.isFinished == true)
      #expect(last?.playedFrames == 24_000)
      #expect(live.engine.status.counters.xruns == 0)
    }
  }

  @Test func anXrunIsToldAndSoundGoesOn() async {
    await #expect(processExitsWith: .success) {
      let live = try LiveRoom()
      try live.start()
      for direction in [SimulatedRoom.Direction.playback, .capture, .both] {
        try live.pass(blocks: 20)
        try live.room.inject(.xrun, direction)
        try live.pass(blocks: 20)
      }
      let xruns = live.outputs.filter { $0 == .xrun }.count
      #expect(xruns == 3)
      #expect(live.engine.status.isRunning)
      for packet in tone(generation: 1, packets: 20) { _ = live.engine.receive(packet) }
      try live.pass(blocks: 60)
      live.engine.stop()
      #expect(try live.speaker().contains { abs(Int($0)) > 327 })
    }
  }

  @Test func aSuspendedDeviceComesBack() async {
    await #expect(processExitsWith: .success) {
      let live = try LiveRoom()
      try live.start()
      try live.pass(blocks: 20)
      try live.room.inject(.suspend)
      try live.pass(blocks: 40)
      #expect(live.engine.status.isRunning)
      #expect(live.outputs.contains(.xrun))
    }
  }

  @Test func anUnpluggedDeviceIsLostAndOpensAgainLater() async {
    await #expect(processExitsWith: .success) {
      let live = try LiveRoom()
      try live.start()
      try live.pass(blocks: 20)
      try live.room.inject(.unplug)
      try live.pass(blocks: 5)
      #expect(!live.engine.status.isRunning)
      let isLost = live.outputs.contains {
        if case .deviceLost(let reason) = $0 { reason.contains("unplugged") } else { false }
      }
      #expect(isLost)
      let error = #expect(throws: AudioError.self) { try live.engine.start() }
      #expect(error?.code == .noDevice)
      try live.room.inject(.replug)
      try live.start()
      try live.pass(blocks: 20)
      #expect(live.engine.status.isRunning)
      // The packets' timeline did not begin again.
      let timestamps = live.outputs.compactMap { output -> UInt32? in
        if case .packet(let packet) = output { packet.timestamp } else { nil }
      }
      #expect(timestamps == timestamps.indices.map { UInt32($0 * 960) })
    }
  }

  @Test func aDeviceInUseIsBusy() async {
    await #expect(processExitsWith: .success) {
      let live = try LiveRoom()
      try live.start()
      let second = try VoiceEngine(configuration: LiveRoom.configuration)
      let error = #expect(throws: AudioError.self) { try second.start() }
      #expect(error?.code == .busy)
      #expect(error?.message.contains("simroom") == true)
    }
  }

  @Test func stopEndsADeviceWhoseClockStandsStill() async {
    await #expect(processExitsWith: .success) {
      let live = try LiveRoom()
      try live.start()
      live.engine.stop()
      #expect(!live.engine.status.isRunning)
    }
  }
}
