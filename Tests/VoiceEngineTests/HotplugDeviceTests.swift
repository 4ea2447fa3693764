import Foundation
import SimulatedRoomControl
import Testing

@testable import VoiceEngine

/// Cards that come and go: each is a simulated room, and a folder stands for sysfs. Each test in a
/// process of its own.
@Suite(.serialized) struct HotplugDeviceTests {
  @Test func theSameDeviceIsOpenedAlsoWhenAnotherTookItsName() async {
    await #expect(processExitsWith: .success) {
      let cards = try LiveCards()
      try cards.folder.plug(index: 1, id: "Device", usb: .speakerphone(serial: "A1"))
      let engine = try cards.engine()
      try engine.start()
      #expect(engine.status.capture.hasPrefix("hw:CARD=Device,DEV=0"))
      try cards.room("Device").inject(.unplug)
      try cards.wait { !engine.status.isRunning }
      engine.stop()
      // Another of the same kind takes index and name; ours is not there.
      try cards.folder.unplug(index: 1)
      try cards.folder.plug(index: 1, id: "Device", usb: .speakerphone(serial: "B2", port: "1-3"))
      try cards.room("Device").inject(.replug)
      let error = #expect(throws: AudioError.self) { try engine.start() }
      #expect(error?.code == .noDevice)
      // Back, at another port and under another name.
      try cards.folder.plug(index: 2, id: "Device_1", usb: .speakerphone(serial: "A1", port: "1-4"))
      try engine.start()
      #expect(engine.status.capture.hasPrefix("hw:CARD=Device_1,DEV=0"))
      #expect(engine.status.playback.hasPrefix("hw:CARD=Device_1,DEV=0"))
      engine.stop()
    }
  }

  @Test func speechInProgressIsHeardToItsEndAfterTheDeviceIsBack() async {
    await #expect(processExitsWith: .success) {
      let cards = try LiveCards()
      try cards.folder.plug(index: 0, id: "Phone", usb: .speakerphone())
      let engine = try cards.engine()
      let room = try cards.room("Phone")
      try engine.start()
      for packet in tone(generation: 1, packets: 60) { #expect(engine.receive(packet)) }
      var progress: [PlayoutProgress] = []
      func take() {
        engine.drain { if case .played(let played) = $0 { progress.append(played) } }
      }
      try cards.wait {
        take()
        return (progress.last?.playedFrames ?? 0) > 9_600
      }
      try room.inject(.unplug)
      try cards.wait { !engine.status.isRunning }
      take()
      let before = try #require(progress.last)
      #expect(!before.isFinished)
      engine.stop()
      try room.inject(.replug)
      try engine.start()
      try cards.wait {
        take()
        return progress.last?.isFinished == true
      }
      #expect(progress.allSatisfy { $0.generation == 1 })
      // What the speaker held when it was unplugged was never heard: less than 100 ms.
      let heard = Int(try #require(progress.last).playedFrames)
      print("heard \(heard) of 28800 frames")
      #expect(heard <= 28_800 && heard > 28_800 - 4_800)
      let played = progress.map(\.playedFrames)
      #expect(played == played.sorted(), "the count never runs back")
      engine.stop()
    }
  }

  @Test func theLatencyThatIsKeptOfADeviceIsGivenToItsClock() async {
    await #expect(processExitsWith: .success) {
      let cards = try LiveCards()
      try cards.folder.plug(index: 0, id: "Phone", usb: .speakerphone())
      let identity = try #require(cards.folder.system.cards().first?.identity)
      let kept = KeptLatency(path: "\(cards.folder.root)/kept/latency.json")
      #expect(kept.frames(of: identity) == nil)
      try kept.keep(2_400, of: identity)
      try kept.keep(99_999, of: identity)
      for (latency, expected) in [(kept, 2_400), (nil, 0)] as [(KeptLatency?, Int)] {
        let engine = try cards.engine(keptLatency: latency)
        try engine.start()
        try cards.wait { engine.status.counters.blocks > 5 }
        #expect(engine.playout.hiddenLatencyFrames == expected)
        engine.stop()
      }
      // A device that hides nothing any more: nothing is told to the next conversation.
      try kept.keep(0, of: identity)
      #expect(kept.frames(of: identity) == nil)
    }
  }

  @Test func nothingOfTheMicrophoneLeavesWhileTheMuteHolds() async {
    await #expect(processExitsWith: .success) {
      let cards = try LiveCards()
      try cards.folder.plug(index: 0, id: "Phone", usb: .speakerphone())
      let room = try cards.room("Phone")
      try cards.muteSwitch.set(true)
      let voice = (0..<48_000).map { Int16(9_000 * sin(Float($0) * 0.03)) }
      for attempt in 0..<2 {
        // A new process would make a new engine; a device that was lost is started again.
        let engine = try cards.engine(recording: "\(cards.folder.root)/own-\(attempt).wav")
        #expect(engine.status.isMuted)
        try engine.start()
        for _ in 0..<2 {
          _ = try room.say(voice)
          var silent = 0
          try cards.wait {
            engine.drain { output in
              switch output {
              case .packet(let packet):
                // Digital silence codes into a few bytes; a voice needs dozens.
                #expect(packet.payload.count <= 10, "\(packet.payload.count) bytes left")
                silent += 1
              case .localSpeech: Issue.record("speech was told of")
              case .levels(let microphone, _): #expect(microphone == 0)
              default: break
              }
            }
            return silent > 60
          }
          try room.inject(.unplug)
          try cards.wait { !engine.status.isRunning }
          engine.stop()
          try room.inject(.replug)
          try engine.start()
        }
        engine.stop()
        let parts = engine.recordingParts
        #expect(!parts.isEmpty)
        for part in parts {
          #expect(try RecordedFile(part).microphone.allSatisfy { $0 == 0 })
        }
      }
      // The control: with the switch off the same voice is in the packets and in the recording.
      try cards.muteSwitch.set(false)
      let engine = try cards.engine(recording: "\(cards.folder.root)/open.wav")
      try engine.start()
      _ = try room.say(voice)
      var largest = 0
      var packets = 0
      try cards.wait {
        engine.drain {
          guard case .packet(let packet) = $0 else { return }
          largest = max(largest, packet.payload.count)
          packets += 1
        }
        return packets > 60
      }
      engine.stop()
      #expect(largest > 20)
      #expect(try RecordedFile("\(cards.folder.root)/open.wav").microphone.contains { $0 > 1_000 })
    }
  }
}

extension VoiceEngine {
  /// The files of its recording.
  fileprivate var recordingParts: [String] { status.recording.map { [$0.path] } ?? [] }
}
