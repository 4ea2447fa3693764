import Glibc

/// One line of `voice doctor`.
public struct SoundFinding: Sendable, Hashable {
  /// What was looked at.
  public enum Check: String, Sendable, Hashable, CaseIterable {
    case card, device, frames, interruptions, zeros, level, mute
    case microphoneMixer = "microphone_mixer"
    case speakerMixer = "speaker_mixer"
    case realtime, memory, drift
    case hiddenLatency = "hidden_latency"
  }

  public enum Verdict: String, Sendable, Hashable {
    case ok, warning, fault
    /// Nothing could be said; never a blame.
    case unmeasured
  }

  public var check: Check
  public var verdict: Verdict
  /// What was seen.
  public var reason: String
  /// What to do; empty when there is nothing to do.
  public var remedy: String
}

/// What is well and what is not with the sound of this machine. A value over facts.
public struct SoundDiagnosis: Sendable, Equatable {
  /// Below this share of the blocks the sound does not flow, below the other it stutters.
  static let leastFlow = 0.8
  static let goodFlow = 0.97
  /// A run of exact zeros of this length comes from no microphone: half a second.
  static let longestZeroRun = 24_000
  /// Quieter than this (-84 dBFS) is no room; a converter's own noise is louder.
  static let leastFloor = 0.00006
  /// Louder than this (-30 dBFS) while nobody speaks, nothing can be understood.
  static let mostFloor = 0.03

  /// In the order of the checks.
  public private(set) var findings: [SoundFinding] = []

  /// Whether nothing is at fault.
  public var isSound: Bool { !findings.contains { $0.verdict == .fault } }

  /// - Parameter user: who runs this, for the remedies.
  public init(_ facts: SoundFacts, user: String) {
    cards(facts, user)
    device(facts, user)
    flow(facts)
    microphone(facts)
    mixers(facts)
    permissions(facts, user)
    clocks(facts)
  }

  private mutating func add(
    _ check: SoundFinding.Check, _ verdict: SoundFinding.Verdict, _ reason: String,
    _ remedy: String = ""
  ) {
    findings.append(
      SoundFinding(check: check, verdict: verdict, reason: reason, remedy: remedy))
  }

  private mutating func cards(_ facts: SoundFacts, _ user: String) {
    if facts.forbiddenCards > 0 {
      add(
        .card, .fault,
        "\(facts.forbiddenCards) of \(facts.cards) sound cards may not be opened by \(user).",
        "sudo usermod -aG audio \(user), then log in again.")
    } else if facts.cards > 0 {
      add(.card, .ok, "\(facts.cards) sound card\(facts.cards == 1 ? "" : "s").")
    } else if facts.openFailure == nil {
      add(.card, .ok, "No kernel card; the device is a sound server's or a plugin's.")
    } else {
      add(
        .card, .fault, "No sound card.",
        "Plug one in; a HAT needs its overlay (dtoverlay=...) and a restart.")
    }
  }

  private mutating func device(_ facts: SoundFacts, _ user: String) {
    if let failure = facts.openFailure {
      let isNotHere = facts.cards == 0 || facts.forbiddenCards > 0
      add(
        .device, isNotHere && failure.code != .busy ? .unmeasured : .fault, failure.message,
        failure.code == .busy ? "`fuser -v /dev/snd/*` names the program that holds it." : "")
    } else if let lost = facts.lost {
      add(
        .device, .fault, lost,
        "Look at plug, cable and power supply; `dmesg` tells what the kernel saw.")
    } else {
      add(.device, .ok, "\(facts.capture); \(facts.playback).")
    }
  }

  /// Whether frames came at all, so that something can be said about them.
  private func flows(_ facts: SoundFacts) -> Bool {
    facts.openFailure == nil && facts.milliseconds > 0
      && Double(facts.blocks) >= Self.leastFlow * Double(facts.milliseconds) / 10
  }

  private mutating func flow(_ facts: SoundFacts) {
    guard facts.openFailure == nil, facts.lost == nil, facts.milliseconds > 0 else {
      add(.frames, .unmeasured, "No device ran.")
      add(.interruptions, .unmeasured, "No device ran.")
      return
    }
    let share = Double(facts.blocks) / (Double(facts.milliseconds) / 10)
    let seen = "\(facts.blocks) blocks of 10 ms in \(facts.milliseconds) ms"
    if share < Self.leastFlow {
      add(
        .frames, .fault, "Sound does not flow: \(seen).",
        "Unplug the device and plug it in again, without a hub; another --capture shows whether it"
          + " is the device.")
    } else if share < Self.goodFlow, facts.xruns == 0 {
      add(.frames, .warning, "Sound stutters: \(seen).", "End programs that load the machine.")
    } else {
      add(.frames, .ok, "Sound flows: \(seen).")
    }
    interruptions(facts)
  }

  private mutating func interruptions(_ facts: SoundFacts) {
    guard flows(facts) || facts.xruns + facts.stuck > 0 else {
      add(.interruptions, .unmeasured, "No sound flowed.")
      return
    }
    let count = facts.xruns + facts.stuck
    // One at the start is a driver's habit.
    if count <= 1 {
      add(.interruptions, .ok, count == 0 ? "No interruption." : "One interruption.")
      return
    }
    let isStorm = count * 1_000 >= facts.milliseconds
    add(
      .interruptions, isStorm ? .fault : .warning,
      "\(count) interruptions in \(facts.milliseconds) ms.",
      facts.isRealtimePermitted
        ? "End programs that load the machine, and give the device a port of its own."
        : "Permit realtime priority (below) and end programs that load the machine.")
  }

  private mutating func microphone(_ facts: SoundFacts) {
    if facts.isMuted {
      add(.mute, .warning, "The microphone is muted.", "voice mute off")
    } else {
      add(.mute, .ok, "The microphone is not muted.")
    }
    let microphone = facts.microphone
    let isMixerMuted = facts.mixers.contains { mixer in
      mixer.findings.contains { $0.problem == .muted && $0.isOfMicrophone }
    }
    guard flows(facts), facts.lost == nil, !facts.isMuted, microphone.frames > 0 else {
      let why = facts.isMuted ? "The microphone is muted." : "No sound flowed."
      add(.zeros, .unmeasured, why)
      add(.level, .unmeasured, why)
      return
    }
    if microphone.longestZeroRun >= Self.longestZeroRun {
      add(
        .zeros, isMixerMuted ? .unmeasured : .fault,
        isMixerMuted
          ? "Exact zeros, as the mixer wants it."
          : "The microphone delivers exact zeros: no microphone sounds like this.",
        isMixerMuted
          ? "" : "Look for a mute key on the device; choose another channel or --capture.")
      add(.level, .unmeasured, "There is no sound.")
      return
    }
    add(.zeros, .ok, "The microphone delivers sound.")
    level(microphone, isMixerMuted: isMixerMuted)
  }

  private mutating func level(_ microphone: SoundFacts.Microphone, isMixerMuted: Bool) {
    let clipped = Double(microphone.clippedFrames) / Double(microphone.frames)
    let floor =
      "quietest \(Self.decibels(microphone.floor)), loudest \(Self.decibels(microphone.peak))"
    if clipped > 0.001 {
      add(
        .level, .fault,
        "The microphone is overdriven: \(microphone.clippedFrames) clipped samples.",
        "voice devices --set-levels, or a lower --capture-level.")
    } else if abs(microphone.offset) > 0.05 {
      add(
        .level, .warning,
        "The microphone has an offset of \(Self.decibels(abs(microphone.offset))).",
        "Harmless to speech; the device or its supply is not good.")
    } else if microphone.floor < Self.leastFloor, !isMixerMuted {
      add(
        .level, .warning, "The microphone is very quiet: \(floor).",
        "Speak while this runs; if it stays, voice devices --set-levels.")
    } else if microphone.floor > Self.mostFloor {
      add(
        .level, .warning, "It is loud here, or the microphone hums: \(floor).",
        "Try another place, port or --capture-level.")
    } else {
      add(.level, .ok, "Level: \(floor).")
    }
  }

  private mutating func mixers(_ facts: SoundFacts) {
    for isMicrophone in [true, false] {
      let check: SoundFinding.Check = isMicrophone ? .microphoneMixer : .speakerMixer
      let findings = facts.mixers.flatMap { mixer in
        mixer.findings.filter { $0.isOfMicrophone == isMicrophone }.map { (mixer.card, $0) }
      }
      if findings.isEmpty {
        let failure = facts.mixers.compactMap(\.failure).first
        let isKnown = facts.mixers.contains { $0.elements > 0 }
        add(
          check, isKnown ? .ok : .unmeasured,
          isKnown ? "No knob is in the way." : failure ?? "The device has no knobs.")
        continue
      }
      let isFault = findings.contains { $0.1.problem == .muted }
      let seen = findings.map { "\($0.1.element.text) \($0.1.problem.sentence)" }
      add(
        check, isFault ? .fault : .warning,
        "\(findings[0].0): \(seen.joined(separator: "; ")).", "voice devices --set-levels")
    }
  }

  private mutating func permissions(_ facts: SoundFacts, _ user: String) {
    if facts.isRealtimePermitted {
      add(.realtime, .ok, "Realtime priority (SCHED_FIFO) is permitted.")
    } else {
      add(
        .realtime, .warning,
        "Realtime priority is not permitted: on a busy machine the sound may stutter.",
        "Put \"\(user) - rtprio 40\" into /etc/security/limits.d/voice.conf and log in again"
          + " (a service: LimitRTPRIO=40).")
    }
    guard facts.openFailure == nil, facts.milliseconds > 0 else {
      add(.memory, .unmeasured, "No device ran.")
      return
    }
    if facts.memoryLockError == 0 {
      add(.memory, .ok, "The audio thread's memory is locked.")
    } else {
      add(
        .memory, .warning,
        "The audio thread's memory cannot be locked (error \(facts.memoryLockError)).",
        "Put \"\(user) - memlock 16384\" into /etc/security/limits.d/voice.conf and log in again"
          + " (a service: LimitMEMLOCK=16M).")
    }
  }

  private mutating func clocks(_ facts: SoundFacts) {
    if let drift = facts.driftPPM {
      let isLarge = abs(drift) > 400
      add(
        .drift, isLarge ? .warning : .ok,
        "The speaker's clock runs \(Self.tenths(abs(drift))) ppm \(drift < 0 ? "slower" : "faster")"
          + " than the microphone's.",
        isLarge ? "Use one device for both; 500 ppm is the most that is followed." : "")
    } else {
      add(.drift, .unmeasured, "Not known yet: it takes up to a minute (--seconds 60).")
    }
    if let hidden = facts.hiddenLatencyMilliseconds {
      add(
        .hiddenLatency, .ok,
        hidden > 0
          ? "The device hides \(Self.tenths(hidden)) ms from its driver; the clock knows it."
          : "The device hides nothing: its echo comes when its driver says.")
    } else if let kept = facts.keptLatencyMilliseconds {
      add(
        .hiddenLatency, .ok,
        "The device hid \(Self.tenths(kept)) ms in an earlier conversation; the clock knows it.")
    } else if facts.isEchoHeard == false {
      add(
        .hiddenLatency, .unmeasured,
        "Not known: the microphone does not hear the speaker (a headset, or it is turned down).")
    } else {
      add(
        .hiddenLatency, .unmeasured,
        "Not known: it is found by the agent's own voice during a conversation (--aloud plays a"
          + " sound).")
    }
  }

  private static func decibels(_ amplitude: Double) -> String {
    guard amplitude > 0 else { return "-inf dBFS" }
    return "\(Int((20 * log10(amplitude)).rounded())) dBFS"
  }

  private static func tenths(_ value: Double) -> String {
    let tenths = Int((abs(value) * 10).rounded())
    return "\(value < 0 && tenths > 0 ? "-" : "")\(tenths / 10).\(tenths % 10)"
  }
}

extension MixerJudgement.Finding {
  /// Whether it is on the microphone's way; a sidetone is heard at the speaker.
  var isOfMicrophone: Bool {
    guard problem != .sidetone else { return false }
    let name = element.name.lowercased()
    return element.direction == .capture || name.contains("input")
  }
}

extension MixerJudgement.Problem {
  /// What it means, behind the knob's name.
  public var sentence: String {
    switch self {
    case .muted: "lets nothing through"
    case .low: "is very low"
    case .boosted: "overdrives speech and echo"
    case .automatic: "changes the gain by itself, which disturbs the echo canceller"
    case .sidetone: "puts the microphone on the speaker"
    }
  }
}
