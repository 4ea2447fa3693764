import Foundation
import SimulatedRoomControl
import Testing

@testable import VoiceEngine

/// A microphone and a speaker on cards of their own, of which one is unplugged. Each test in a process
/// of its own.
@Suite(.serialized) struct PartlyLostTests {
  /// Two cards, each a room of its own.
  private final class Desk {
    let cards: LiveCards
    let engine: VoiceEngine
    private(set) var outputs: [VoiceDeviceOutput] = []
    private(set) var progress: PlayoutProgress?

    init() throws {
      cards = try LiveCards()
      try cards.folder.plug(
        index: 0, id: "Mic", usb: .speakerphone(serial: "M", port: "1-1"), pcms: ["D0c"])
      try cards.folder.plug(
        index: 1, id: "Spk", usb: .speakerphone(serial: "S", port: "1-2"), pcms: ["D0p"])
      engine = try cards.engine(capture: "hw:CARD=Mic,DEV=0", playback: "hw:CARD=Spk,DEV=0")
      try engine.start()
    }

    func take() {
      engine.drain { output in
        outputs.append(output)
        if case .played(let played) = output { progress = played }
      }
    }

    func wait(until condition: () throws -> Bool) throws {
      try cards.wait {
        take()
        return try condition()
      }
    }

    /// Why a side is gone, the newest first.
    var losses: [String] {
      outputs.reversed().compactMap { if case .partlyLost(let reason) = $0 { reason } else { nil } }
    }

    var isLost: Bool {
      outputs.contains { if case .deviceLost = $0 { true } else { false } }
    }

    var packets: [SpeechPacket] {
      outputs.compactMap { if case .packet(let packet) = $0 { packet } else { nil } }
    }
  }

  @Test func theMicrophoneGoesOnWhileTheSpeakerIsAwayAndAnotherCardHasItsPlace() async {
    await #expect(processExitsWith: .success) {
      let desk = try Desk()
      let engine = desk.engine
      for packet in tone(generation: 1, packets: 60) { #expect(engine.receive(packet)) }
      try desk.wait { (desk.progress?.playedFrames ?? 0) > 9_600 }
      try desk.cards.room("Spk").inject(.unplug)
      try desk.wait { !desk.losses.isEmpty }
      #expect(desk.losses.first?.contains("speaker was unplugged") == true)
      // A card of the same kind takes index and name; ours is not there.
      try desk.cards.folder.unplug(index: 1)
      try desk.cards.folder.plug(
        index: 1, id: "Spk", usb: .speakerphone(serial: "X", port: "1-3"), pcms: ["D0p"])
      let error = #expect(throws: AudioError.self) { try engine.start() }
      #expect(error?.code == .noDevice)
      let before = engine.status.counters.blocks
      try desk.wait { engine.status.counters.blocks >= before + 100 }
      #expect(engine.status.isRunning)
      let waited = try #require(desk.progress)
      // Back, at another port and under another name; its room is called by the name.
      try desk.cards.folder.plug(
        index: 2, id: "Spk_1", usb: .speakerphone(serial: "S", port: "1-4"), pcms: ["D0p"])
      try engine.start()
      let taken = engine.status.counters.blocks
      try desk.wait { engine.status.counters.sidesTakenBack == 1 }
      print("taken back after \((engine.status.counters.blocks - taken) * 10) ms")
      #expect(engine.status.playback.hasPrefix("hw:CARD=Spk_1,DEV=0"))
      // The reply waited for its speaker, and is heard to its end.
      try desk.wait { desk.progress?.isFinished == true }
      let heard = Int(try #require(desk.progress).playedFrames)
      print("heard \(waited.playedFrames), then \(heard) of 28800 frames")
      #expect(heard <= 28_800 && heard > 28_800 - 4_800)
      #expect(!desk.isLost && engine.status.counters.sidesLost == 1)
      // Not a packet of the microphone is missing: their timestamps follow one another.
      let stamps = desk.packets.map(\.timestamp)
      #expect(stamps == stamps.indices.map { stamps[0] &+ UInt32($0 * 960) })
      engine.stop()
    }
  }

  @Test func theSpeakerGoesOnWhileTheMicrophoneIsAway() async {
    await #expect(processExitsWith: .success) {
      let desk = try Desk()
      let engine = desk.engine
      for packet in tone(generation: 1, packets: 100) { #expect(engine.receive(packet)) }
      try desk.wait { (desk.progress?.playedFrames ?? 0) > 9_600 }
      try desk.cards.room("Mic").inject(.unplug)
      try desk.wait { !desk.losses.isEmpty }
      #expect(desk.losses.first?.contains("microphone was unplugged") == true)
      try desk.wait { desk.progress?.isFinished == true }
      #expect(!desk.isLost && engine.status.isRunning)
      let error = #expect(throws: AudioError.self) { try engine.start() }
      #expect(error?.code == .noDevice)
      try desk.cards.room("Mic").inject(.replug)
      try engine.start()
      try desk.wait { engine.status.counters.sidesTakenBack == 1 }
      let captured = try desk.cards.room("Mic").counters.capturedFrames
      try desk.wait { try desk.cards.room("Mic").counters.capturedFrames > captured + 9_600 }
      let stamps = desk.packets.map(\.timestamp)
      // What was lost of the time between is in the timestamps: less than a packet at either change.
      let steps = zip(stamps, stamps.dropFirst()).map { $1 &- $0 }
      #expect(steps.allSatisfy { (960..<1_920).contains($0) })
      #expect(steps.filter { $0 != 960 }.count <= 2, "\(steps)")
      engine.stop()
    }
  }

  @Test func aDeviceOfWhichNothingIsLeftIsLostAndStartsAgain() async {
    await #expect(processExitsWith: .success) {
      let desk = try Desk()
      try desk.wait { desk.engine.status.counters.blocks > 10 }
      try desk.cards.room("Spk").inject(.unplug)
      try desk.wait { !desk.losses.isEmpty }
      try desk.cards.room("Mic").inject(.unplug)
      try desk.wait { desk.isLost && !desk.engine.status.isRunning }
      desk.engine.stop()
      try desk.cards.room("Spk").inject(.replug)
      try desk.cards.room("Mic").inject(.replug)
      try desk.engine.start()
      let before = desk.engine.status.counters.blocks
      try desk.wait { desk.engine.status.counters.blocks > before + 10 }
      desk.engine.stop()
    }
  }

  @Test func aCardThatIsMissingAtTheStartIsWaitedFor() async {
    await #expect(processExitsWith: .success) {
      let cards = try LiveCards()
      try cards.folder.plug(index: 0, id: "Phone", usb: .speakerphone())
      try cards.room("Phone").inject(.unplug)
      // The control: without being told to wait it fails.
      let hasty = try cards.engine()
      #expect(throws: AudioError.self) { try hasty.startOrWait() }
      let engine = try cards.engine(waits: true)
      try engine.startOrWait()
      let missing = try #require(engine.missing)
      print(missing)
      #expect(missing.contains("hw:CARD=Phone,DEV=0") && missing.hasSuffix("It is waited for."))
      #expect(!engine.status.isRunning)
      #expect(throws: AudioError.self) { try engine.start() }
      try cards.room("Phone").inject(.replug)
      try engine.start()
      #expect(engine.missing == nil)
      try cards.wait { engine.status.counters.blocks > 10 }
      engine.stop()
    }
  }
}
