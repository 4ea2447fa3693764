import Foundation
import SimulatedRoomControl
import Testing

@testable import VoiceEngine

extension SoundFinding {
  fileprivate var isOfBusyMachine: Bool {
    check == .interruptions || check == .frames && verdict == .warning
  }
}

/// The doctor at a simulated card with each fault. Each in a process of its own, in real time.
@Suite(.serialized) struct SoundCheckTests {
  /// Faults and warnings, as `check verdict`; permissions are this machine's.
  private static func blamed(_ facts: SoundFacts) -> [String] {
    SoundDiagnosis(facts, user: "ann").findings
      .filter { $0.verdict == .fault || $0.verdict == .warning }
      .filter { $0.check != .realtime && $0.check != .memory }
      // Without the audio thread's priority a busy machine does stutter, and the doctor is right.
      .filter { facts.isRealtimePermitted || facts.xruns == 0 || !$0.isOfBusyMachine }
      .map { "\($0.check) \($0.verdict)" }
  }

  private static func configuration(_ cards: LiveCards) -> VoiceDeviceConfiguration {
    var configuration = VoiceDeviceConfiguration()
    configuration.muteSwitch = cards.muteSwitch
    return configuration
  }

  private static func check(
    _ cards: LiveCards, milliseconds: Int = 1_200, _ meanwhile: () -> Void = {}
  ) -> SoundFacts {
    var ticks = 0
    return SoundCheck.run(
      configuration(cards), in: cards.folder.system, for: .milliseconds(milliseconds)
    ) {
      // Every 20 ms; the first half second is the device's start.
      ticks += 1
      if ticks > 30 { meanwhile() }
      return false
    }
  }

  /// A card that is well: a speakerphone whose own gain control is off.
  private static func healthy(mixer: String = "speakerphone") throws -> LiveCards {
    let cards = try LiveCards(mixer: mixer)
    try cards.folder.plug(index: 0, id: "Phone", usb: .speakerphone())
    let knobs = try CardMixer(card: "Phone")
    if mixer == "speakerphone" {
      for change in MixerJudgement(knobs.elements()).plan(playback: 0.8, capture: 0.7) {
        try knobs.apply(change)
      }
    }
    return cards
  }

  @Test func aHealthyCardIsNotBlamed() async {
    await #expect(processExitsWith: .success) {
      let cards = try Self.healthy()
      let facts = Self.check(cards)
      #expect(Self.blamed(facts).isEmpty, "\(facts)")
      #expect(facts.capture.hasPrefix("hw:CARD=Phone,DEV=0"))
    }
  }

  @Test func aMachineWithoutACardIsToldSo() async {
    await #expect(processExitsWith: .success) {
      let cards = try LiveCards()
      try cards.room("Phone").inject(.unplug)
      #expect(Self.blamed(Self.check(cards)) == ["card fault"])
    }
  }

  @Test func aCardInUseIsBusy() async {
    await #expect(processExitsWith: .success) {
      let cards = try Self.healthy()
      let other = try cards.engine()
      try other.start()
      let facts = Self.check(cards)
      #expect(Self.blamed(facts) == ["device fault"], "\(facts)")
      #expect(facts.openFailure?.code == .busy)
      other.stop()
    }
  }

  @Test func aCardThatIsUnpluggedMeanwhileIsLost() async {
    await #expect(processExitsWith: .success) {
      let cards = try Self.healthy()
      let room = try cards.room("Phone")
      let facts = Self.check(cards) {
        // Unplugged once is unplugged.
        try? room.inject(.unplug)
      }
      #expect(Self.blamed(facts) == ["device fault"], "\(facts)")
      #expect(facts.lost?.isEmpty == false)
    }
  }

  @Test func aStormOfXrunsIsNamed() async {
    await #expect(processExitsWith: .success) {
      let cards = try Self.healthy()
      let room = try cards.room("Phone")
      var count = 0
      let facts = Self.check(cards) {
        count += 1
        // A refusal would show in the count below.
        if count % 4 == 0 { try? room.inject(.xrun, .both) }
      }
      #expect(facts.xruns >= 3)
      let findings = SoundDiagnosis(facts, user: "ann").findings
      #expect(findings.contains { $0.check == .interruptions && $0.verdict == .fault }, "\(facts)")
      #expect(
        Self.blamed(facts).allSatisfy { $0.hasPrefix("interruptions") || $0 == "frames warning" })
    }
  }

  @Test func exactZerosAreNoMicrophone() async {
    await #expect(processExitsWith: .success) {
      let cards = try Self.healthy()
      try cards.room("Phone").configure(
        SimulatedRoomAcoustics(echoReturnLossDB: 200, rt60MS: 0, noiseDBFS: -120))
      let facts = Self.check(cards)
      #expect(Self.blamed(facts) == ["zeros fault"], "\(facts)")
    }
  }

  @Test func aLoudRoomAndAnOverdrivenMicrophoneAreNamed() async {
    await #expect(processExitsWith: .success) {
      let cards = try Self.healthy()
      try cards.room("Phone").configure(
        SimulatedRoomAcoustics(echoReturnLossDB: 200, rt60MS: 0, noiseDBFS: -20))
      #expect(Self.blamed(Self.check(cards)) == ["level warning"])
      try cards.room("Phone").configure(
        SimulatedRoomAcoustics(echoReturnLossDB: 200, rt60MS: 0, noiseDBFS: 0))
      #expect(Self.blamed(Self.check(cards)) == ["level fault"])
    }
  }

  @Test func theMuteIsNamed() async {
    await #expect(processExitsWith: .success) {
      let cards = try Self.healthy()
      try cards.muteSwitch.set(true)
      #expect(Self.blamed(Self.check(cards)) == ["mute warning"])
    }
  }

  @Test func aFreshHATIsBlamedForItsKnobsOnly() async {
    await #expect(processExitsWith: .success) {
      let cards = try Self.healthy(mixer: "hat")
      let facts = Self.check(cards)
      #expect(
        Self.blamed(facts) == ["microphoneMixer fault", "speakerMixer fault"], "\(facts)")
    }
  }

  @Test func aClockThatStandsStillIsNamed() async {
    await #expect(processExitsWith: .success) {
      let cards = try Self.healthy()
      try cards.room("Phone").useManualClock()
      let facts = Self.check(cards)
      #expect(Self.blamed(facts).first?.hasPrefix("frames") == true, "\(facts)")
      #expect(
        Self.blamed(facts).allSatisfy {
          $0.hasPrefix("frames") || $0.hasPrefix("interruptions") || $0.hasPrefix("device")
        })
    }
  }
}
