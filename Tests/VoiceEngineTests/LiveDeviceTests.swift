import Foundation
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

  @Test func theRecordingIsTheOneThatTheRoomMade() async {
    await #expect(processExitsWith: .success) {
      let live = try LiveRoom(records: true)
      try live.start()
      for block in 0..<120 {
        if block == 20 { try live.say(voice(samples: 24_000)) }
        if block == 30 { live.engine.setMuted(true) }
        if block == 50 { live.engine.setMuted(false) }
        if block == 60 {
          for packet in tone(generation: 1, packets: 20) { #expect(live.engine.receive(packet)) }
        }
        try live.pass(blocks: 1)
      }
      let capture = Int(try #require(live.room.streamStart(.capture)))
      live.engine.stop()
      #expect(live.engine.status.recording?.failure == nil)
      let ours = try RecordedFile(live.ownRecording)
      try live.room.flush()
      let theirs = try RecordedFile(live.recording)
      #expect(ours.microphone.count >= 115 * 480)
      // Each block as the room had it, but for the mute and the 34 ms that it lasts longer.
      let differing = zip(ours.microphone, theirs.microphone.dropFirst(capture)).enumerated()
        .filter { $1.0 != $1.1 }.map(\.offset)
      #expect(differing.allSatisfy { (30 * 480..<54 * 480).contains($0) })
      let muted = 30 * 480..<50 * 480
      #expect(ours.microphone[muted].allSatisfy { $0 == 0 })
      #expect(ours.microphone[..<muted.lowerBound].contains { abs(Int($0)) > 3_000 })
      let first = try #require(ours.speaker.firstIndex { abs(Int($0)) > 327 })
      let truth = try #require(theirs.speaker.firstIndex { abs(Int($0)) > 327 }) - capture
      print("speaker: recorded at \(first), heard by the room at \(truth)")
      #expect(abs(first - truth) <= 96)
      #expect(
        ours.speaker[first..<first + 9_000]
          == theirs.speaker[truth + capture..<truth + capture + 9_000])
    }
  }

  /// ALSA's converter between the room and us leaves the engine no format but FLOAT.
  @Test func aDeviceThatOnlyTakesFloatsSoundsTheSame() async {
    await #expect(processExitsWith: .success) {
      let live = try LiveRoom(
        records: true, device: "floats",
        definition: "pcm.floats { type lfloat slave { pcm simroom format S32_LE } }")
      try live.start()
      #expect(live.engine.status.capture.contains("FLOAT"))
      #expect(live.engine.status.playback.contains("FLOAT"))
      try live.say(voice(samples: 24_000))
      for packet in tone(generation: 1, packets: 20) { #expect(live.engine.receive(packet)) }
      try live.pass(blocks: 80)
      let capture = Int(try #require(live.room.streamStart(.capture)))
      live.engine.stop()
      let ours = try RecordedFile(live.ownRecording)
      try live.room.flush()
      let theirs = try RecordedFile(live.recording)
      func isNear(_ left: [Int16], _ right: ArraySlice<Int16>) -> Bool {
        !left.isEmpty && zip(left, right).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
      }
      #expect(isNear(ours.microphone, theirs.microphone.dropFirst(capture)))
      #expect(ours.microphone.contains { $0 > 3_000 })
      let heard = try #require(theirs.speaker.firstIndex { abs(Int($0)) > 327 })
      let recorded = try #require(ours.speaker.firstIndex { abs(Int($0)) > 327 })
      #expect(abs(recorded + capture - heard) <= 96)
      #expect(isNear(Array(ours.speaker.dropFirst(recorded)), theirs.speaker.dropFirst(heard)))
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
      let first = try #require(timestamps.first)
      #expect(timestamps == timestamps.indices.map { first + UInt32($0 * 960) })
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

/// A person's voice that is nowhere like itself.
private func voice(samples: Int) -> [Int16] {
  (0..<samples).map { index in
    let time = Float(index) / 48_000
    return Int16(8_000 * sin(2 * .pi * (200 + 90 * time) * time))
  }
}
