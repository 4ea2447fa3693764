import CAudioDevice
import CVoiceCore
import Glibc

/// Opens the device as a conversation would, listens for a while and writes down what was seen.
public enum SoundCheck {
  /// Blocks taken at once.
  private static let batch = 32
  /// A test sound whose echo was not found in this time has none.
  private static let echoPatience = Duration.seconds(8)
  /// Packets of the test sound that are sent ahead of their time, 10 ms each.
  private static let packetsAhead = 10
  /// What comes before this is the device's start and is not judged.
  private static let settling = Duration.milliseconds(500)

  /// Blocks for the time of the check; call it from a thread of its own.
  ///
  /// - Parameters:
  ///   - duration: to listen for, behind half a second of settling.
  ///   - isAloud: whether a soft test sound follows, for up to 8 s: its echo tells the latency that
  ///     the device hides.
  ///   - isOver: asked every 20 ms; true ends the check early.
  public static func run(
    _ configuration: VoiceDeviceConfiguration, in system: SoundSystem = .machine,
    for duration: Duration, isAloud: Bool = false, isOver: () -> Bool = { false }
  ) -> SoundFacts {
    var facts = SoundFacts()
    let cards = system.cards()
    facts.cards = cards.count
    facts.forbiddenCards = cards.filter(\.isForbidden).count
    facts.isRealtimePermitted = AudioCard.isRealtimePermitted()
    do throws(AudioError) {
      let engine = try VoiceEngine(configuration: configuration, system: system)
      defer { engine.stop() }
      try engine.start()
      facts.mixers = engine.openCards.map(judge)
      try listen(to: engine, for: duration, isOver: isOver, into: &facts)
      if isAloud, facts.lost == nil, !isOver() {
        facts.isEchoHeard = makeEcho(engine, isOver: isOver)
      }
      engine.report(into: &facts)
    } catch {
      facts.openFailure = error
      facts.refusals = DeviceProbe(configuration, cards: cards).refusals
    }
    return facts
  }

  private static func judge(_ card: CardIdentity) -> SoundFacts.Mixer {
    do throws(AudioError) {
      let elements = try CardMixer(card: card.cardID).elements()
      return SoundFacts.Mixer(
        card: card.cardID, findings: MixerJudgement(elements).findings, elements: elements.count)
    } catch {
      return SoundFacts.Mixer(
        card: card.cardID, findings: [], elements: 0, failure: error.message)
    }
  }

  private static func listen(
    to engine: VoiceEngine, for duration: Duration, isOver: () -> Bool, into facts: inout SoundFacts
  ) throws(AudioError) {
    let pointer = engine.port.pointer
    guard vc_port_start_recording(pointer) == 0 else {
      throw AudioError(code: .coreFailed, message: "There is no memory to listen with.")
    }
    defer { vc_port_stop_recording(pointer) }
    var ear = MicrophoneEar()
    var blocks = [vc_heard](repeating: vc_heard(), count: batch)
    let clock = ContinuousClock()
    let start = clock.now
    var began: (at: ContinuousClock.Instant, blocks: UInt64, xruns: UInt64)?
    while facts.lost == nil, !isOver() {
      usleep(20_000)
      engine.drain {
        switch $0 {
        case .deviceLost(let reason), .partlyLost(let reason): facts.lost = reason
        default: break
        }
      }
      let now = clock.now
      let counters = engine.status.counters
      var count = vc_port_take_recorded(pointer, &blocks, blocks.count)
      while count > 0 {
        if began != nil { for block in blocks.prefix(count) { ear.hear(block) } }
        count = vc_port_take_recorded(pointer, &blocks, blocks.count)
      }
      if began == nil, now - start >= settling { began = (now, counters.blocks, counters.xruns) }
      guard let began else { continue }
      facts.milliseconds = Int((now - began.at) / .milliseconds(1))
      facts.blocks = Int(counters.blocks - began.blocks)
      facts.xruns = Int(counters.xruns - began.xruns)
      if now - began.at >= duration { break }
    }
    facts.microphone = ear.microphone
  }

  /// Plays the test sound until its echo was found. Returns whether it was.
  private static func makeEcho(_ engine: VoiceEngine, isOver: () -> Bool) -> Bool {
    var sound = TestSound()
    let clock = ContinuousClock()
    let start = clock.now
    var sent = 0
    while !engine.playout.isHiddenLatencyFound, clock.now - start < echoPatience, !isOver() {
      let due = Int((clock.now - start) / .milliseconds(10)) + packetsAhead
      while sent < due, engine.receive(sound.packet()) { sent += 1 }
      usleep(20_000)
      engine.drain { _ in }
    }
    _ = engine.receive(sound.end())
    return engine.playout.isHiddenLatencyFound
  }
}

/// Sums up what the microphone delivers.
private struct MicrophoneEar {
  private var facts = SoundFacts.Microphone()
  private var zeros = 0
  private var sum = 0.0
  private var levels: [Double] = []

  mutating func hear(_ block: vc_heard) {
    var energy = 0.0
    withUnsafeBytes(of: block.samples) { bytes in
      let samples = bytes.bindMemory(to: Int16.self)
      for index in stride(from: 0, to: samples.count, by: 2) {
        let sample = samples[index]
        zeros = sample == 0 ? zeros + 1 : 0
        facts.longestZeroRun = max(facts.longestZeroRun, zeros)
        if sample == .max || sample == .min { facts.clippedFrames += 1 }
        let value = Double(sample) / 32_768
        facts.peak = max(facts.peak, abs(value))
        sum += value
        energy += value * value
      }
      facts.frames += samples.count / 2
      levels.append((energy / Double(samples.count / 2)).squareRoot())
    }
  }

  var microphone: SoundFacts.Microphone {
    var facts = facts
    guard facts.frames > 0 else { return facts }
    facts.offset = sum / Double(facts.frames)
    let quiet = levels.sorted().prefix(max(1, levels.count / 10))
    facts.floor = quiet.reduce(0, +) / Double(quiet.count)
    return facts
  }
}
