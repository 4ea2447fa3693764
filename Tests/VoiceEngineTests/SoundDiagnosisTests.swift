import Testing

@testable import VoiceEngine

/// Each fault of the facts names its own line, and nothing healthy is blamed.
@Suite struct SoundDiagnosisTests {
  private static var healthy: SoundFacts {
    var facts = SoundFacts()
    facts.cards = 1
    facts.capture = "hw:CARD=Device,DEV=0 S16_LE 48000 Hz 1 ch"
    facts.playback = "hw:CARD=Device,DEV=0 S16_LE 48000 Hz 2 ch"
    facts.milliseconds = 3_000
    facts.blocks = 300
    facts.isRealtimePermitted = true
    facts.microphone.frames = 144_000
    facts.microphone.floor = 0.0005
    facts.microphone.peak = 0.02
    facts.mixers = [.init(card: "Device", findings: [], elements: 5)]
    facts.driftPPM = 12.3
    facts.hiddenLatencyMilliseconds = 40
    return facts
  }

  private static func finding(
    _ problem: MixerJudgement.Problem, _ name: String, _ direction: MixerElement.Direction
  ) -> SoundFacts.Mixer {
    SoundFacts.Mixer(
      card: "Device",
      findings: [
        .init(
          problem: problem, element: MixerElement(name: name, direction: direction, isOn: false))
      ], elements: 5)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var check: SoundFinding.Check
    var verdict: SoundFinding.Verdict
    var spoil: @Sendable (inout SoundFacts) -> Void

    init(
      _ name: String, _ check: SoundFinding.Check, _ verdict: SoundFinding.Verdict,
      _ spoil: @escaping @Sendable (inout SoundFacts) -> Void
    ) {
      testDescription = name
      self.check = check
      self.verdict = verdict
      self.spoil = spoil
    }
  }

  static let cases = [
    Case("no card", .card, .fault) {
      $0 = SoundFacts()
      $0.isRealtimePermitted = true
      $0.openFailure = AudioError(code: .noDevice, message: "none")
    },
    Case("a card of others", .card, .fault) {
      $0 = SoundFacts()
      $0.isRealtimePermitted = true
      $0.cards = 1
      $0.forbiddenCards = 1
      $0.openFailure = AudioError(code: .notPermitted, message: "no")
    },
    Case("busy", .device, .fault) {
      $0.openFailure = AudioError(code: .busy, message: "busy")
    },
    Case("lost", .device, .fault) { $0.lost = "The microphone was unplugged." },
    Case("still", .frames, .fault) { $0.blocks = 3 },
    Case("stutter", .frames, .warning) { $0.blocks = 280 },
    Case("a storm", .interruptions, .fault) { $0.xruns = 40 },
    Case("a few xruns", .interruptions, .warning) { $0.xruns = 2 },
    Case("stuck", .interruptions, .fault) { $0.stuck = 3 },
    Case("zeros", .zeros, .fault) { $0.microphone.longestZeroRun = 144_000 },
    Case("clipping", .level, .fault) { $0.microphone.clippedFrames = 2_000 },
    Case("offset", .level, .warning) { $0.microphone.offset = -0.1 },
    Case("silence", .level, .warning) { $0.microphone.floor = 0.00001 },
    Case("hum", .level, .warning) { $0.microphone.floor = 0.1 },
    Case("mute", .mute, .warning) { $0.isMuted = true },
    Case("capture off", .microphoneMixer, .fault) {
      $0.mixers = [finding(.muted, "Capture", .capture)]
      $0.microphone.longestZeroRun = 144_000
    },
    Case("input path off", .microphoneMixer, .fault) {
      $0.mixers = [finding(.muted, "Left Input Mixer Boost", .playback)]
    },
    Case("speaker off", .speakerMixer, .fault) {
      $0.mixers = [finding(.muted, "Speaker", .playback)]
    },
    Case("sidetone", .speakerMixer, .warning) {
      $0.mixers = [finding(.sidetone, "Mic", .playback)]
    },
    Case("gain control", .microphoneMixer, .warning) {
      $0.mixers = [finding(.automatic, "Auto Gain Control", .capture)]
    },
    Case("no realtime", .realtime, .warning) { $0.isRealtimePermitted = false },
    Case("no lock", .memory, .warning) { $0.memoryLockError = 12 },
    Case("drift", .drift, .warning) { $0.driftPPM = -450 },
  ]

  @Test(arguments: cases)
  func theRightLineIsNamedAndNothingElse(fault: Case) throws {
    var facts = Self.healthy
    fault.spoil(&facts)
    let diagnosis = SoundDiagnosis(facts, user: "ann")
    #expect(diagnosis.findings.map(\.check) == SoundFinding.Check.allInOrder)
    let blamed = diagnosis.findings.filter { $0.verdict == .fault || $0.verdict == .warning }
    #expect(blamed.map(\.check) == [fault.check], "\(blamed)")
    #expect(blamed.first?.verdict == fault.verdict)
    #expect(blamed.allSatisfy { !$0.reason.isEmpty })
    #expect(diagnosis.isSound == (fault.verdict != .fault))
  }

  @Test func aHealthyDeviceIsHealthy() {
    let diagnosis = SoundDiagnosis(Self.healthy, user: "ann")
    #expect(diagnosis.findings.allSatisfy { $0.verdict == .ok }, "\(diagnosis.findings)")
  }

  @Test func whatIsNotKnownIsSaidAndNotBlamed() {
    var facts = Self.healthy
    facts.driftPPM = nil
    facts.hiddenLatencyMilliseconds = nil
    facts.mixers = []
    let unmeasured = SoundDiagnosis(facts, user: "ann").findings
      .filter { $0.verdict == .unmeasured }.map(\.check)
    #expect(unmeasured == [.microphoneMixer, .speakerMixer, .drift, .hiddenLatency])
    #expect(SoundDiagnosis(facts, user: "ann").isSound)
  }

  @Test func theHiddenLatencyIsOneLineWhateverIsKnownOfIt() {
    func line(_ change: (inout SoundFacts) -> Void) -> SoundFinding? {
      var facts = Self.healthy
      facts.hiddenLatencyMilliseconds = nil
      change(&facts)
      let lines = SoundDiagnosis(facts, user: "ann").findings.filter { $0.check == .hiddenLatency }
      return lines.count == 1 ? lines[0] : nil
    }
    let found = line { $0.hiddenLatencyMilliseconds = 120.25 }
    #expect(found?.verdict == .ok && found?.reason.contains("hides 120.3 ms") == true)
    let nothing = line { $0.hiddenLatencyMilliseconds = 0 }
    #expect(nothing?.verdict == .ok && nothing?.reason.contains("hides nothing") == true)
    let kept = line { $0.keptLatencyMilliseconds = 80 }
    #expect(kept?.verdict == .ok && kept?.reason.contains("hid 80.0 ms") == true)
    let headset = line { $0.isEchoHeard = false }
    #expect(headset?.verdict == .unmeasured && headset?.reason.contains("headset") == true)
    #expect(line { _ in }?.verdict == .unmeasured)
  }
}

extension SoundFinding.Check {
  fileprivate static var allInOrder: [Self] {
    [
      .card, .device, .frames, .interruptions, .mute, .zeros, .level, .microphoneMixer,
      .speakerMixer, .realtime, .memory, .drift, .hiddenLatency,
    ]
  }
}
