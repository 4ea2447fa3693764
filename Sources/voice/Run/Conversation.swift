import Foundation
import Networking
import VisionAgentsCore
import VoiceEngine

/// One conversation as this program follows it: events into the ledger, states and words to the
/// presenter.
@MainActor
final class Conversation {
  let voice: VoiceSession
  private let presenter: any Presenter
  private(set) var ledger: TurnLedger
  private(set) var transcript: [(side: Side, text: String)] = []
  private var switchWatch: ScheduledAction?
  private var pump: Task<Void, Never>?
  private var lamp: Task<Void, Never>?
  private var hasEnded = false
  private var idleTicks = 0
  private var toldFailure: String?
  private var toldLoss = false
  private var toldMute = false
  private var toldSleep = true
  private var shown = AIVoiceAgentState.connecting
  private var gapTicks = 0
  /// The agent was heard at least once.
  private(set) var hasAgentSpoken = false

  /// How often the status line is looked at.
  private static let tick = Duration.milliseconds(50)
  /// A shorter pause of the agent's speech is no return to thinking: words have gaps, and after the
  /// last one the router needs a moment to learn that it was heard.
  private static let speechGap = Duration.milliseconds(250)

  /// - Parameter hasModel: false when a fixed line stands for the model.
  init(voice: VoiceSession, presenter: any Presenter, hasModel: Bool = true) {
    self.voice = voice
    ledger = TurnLedger(hasModel: hasModel)
    self.presenter = presenter
  }

  /// Follows the session from here on.
  func follow() {
    let events = voice.session.events()
    pump = Task { @MainActor [weak self] in
      for await event in events { self?.take(event) }
      self?.hasEnded = true
    }
    lamp = Task { @MainActor [weak self] in
      while !Task.isCancelled {
        self?.showStatus()
        // The terminal's own pace; cancellation ends the loop at its head.
        try? await Task.sleep(for: Self.tick, tolerance: .zero)
      }
    }
  }

  /// Follows the microphone's switch, which somebody at this machine may turn (`voice mute`).
  func follow(_ muteSwitch: MuteSwitch, on runtime: LoopRuntime) {
    let folder = URL(filePath: muteSwitch.path).deletingLastPathComponent()
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let news = try CardNews(.folder, in: SoundSystem(nodes: folder.path))
      let voice = voice
      switchWatch = runtime.watch(descriptor: news.descriptor) {
        guard news.take() == true else { return }
        Task { @MainActor in await voice.follow(muteSwitchIsOn: muteSwitch.isOn) }
      }
    } catch {
      presenter.notice(
        "A `voice mute` in the middle of a conversation is not seen here (\(error)); it holds from the"
          + " next start on.")
    }
  }

  /// Stops following; the state shown last is the one that holds now.
  func stop() {
    switchWatch?.cancel()
    pump?.cancel()
    lamp?.cancel()
    showStatus()
  }

  /// Waits until `condition` holds, for at most `limit`.
  ///
  /// - Returns: whether it held in time; false also when the session ended.
  func wait(upTo limit: Duration, until condition: (Conversation) -> Bool) async -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while !condition(self) {
      guard clock.now < end, !hasEnded, !Task.isCancelled else { return condition(self) }
      // See `lamp`.
      try? await Task.sleep(for: Self.tick, tolerance: .zero)
    }
    return true
  }

  /// Whether nobody has spoken or thought for `duration`.
  func hasBeenQuiet(for duration: Duration) -> Bool {
    Self.tick * idleTicks >= duration
  }

  /// Whether the person was heard at least once.
  var hasHeard: Bool { transcript.contains { $0.side == .person } }

  /// Whether the session is over.
  var isOver: Bool { hasEnded }

  /// What this conversation was, for the file.
  var transcriptText: String {
    transcript.map { ($0.side == .person ? "you:   " : "agent: ") + $0.text }
      .joined(separator: "\n") + "\n"
  }

  private func take(_ event: AgentEvent) {
    for change in ledger.take(event) {
      switch change {
      case .heard(let text, let isFinal):
        presenter.caption(.person, text, isFinal: isFinal)
        if isFinal { transcript.append((.person, text)) }
      case .answering(let text, let isFinal):
        presenter.caption(.agent, text, isFinal: isFinal)
        if isFinal, !text.isEmpty { transcript.append((.agent, text)) }
      case .timings(let turnID):
        if let report = ledger[turnID] { presenter.turn(report) }
      case .problem(let sentence):
        presenter.problem(sentence)
      }
    }
  }

  /// Tells what ails the call (a device unplugged, a recording that ended), once each time.
  private func showFailure() {
    let failure = voice.failure.map { "\($0)" }
    if let failure, failure != toldFailure { presenter.problem(failure) }
    toldFailure = failure
    var isLost = false
    if case .lost = voice.call?.state.device { isLost = true }
    if toldLoss, !isLost, voice.call != nil { presenter.notice("The sound device is back.") }
    toldLoss = isLost
    if voice.isMuted != toldMute {
      presenter.notice(
        voice.isMuted
          ? "The microphone is muted; `voice mute off` opens it." : "The microphone is open again.")
    }
    toldMute = voice.isMuted
    if voice.call != nil, !voice.wakePhrase.isEmpty, voice.isAsleep != toldSleep {
      toldSleep = voice.isAsleep
      presenter.notice(toldSleep ? invitation : "Awake: speak.")
    }
  }

  /// What somebody at the device may do now.
  var invitation: String {
    voice.wakePhrase.isEmpty
      ? "Speak when you like. Ctrl-C ends the conversation."
      : "Say \"\(voice.wakePhrase)\", then speak. Ctrl-C ends the conversation."
  }

  /// The state to show: without the flicker of short gaps in speech, and with no step left out.
  private func steady(_ state: AIVoiceAgentState) -> AIVoiceAgentState {
    if shown == .listening, state == .speaking {
      // An answer that was ready when the turn ended: the thought between was shorter than a tick.
      shown = .thinking
      return shown
    }
    gapTicks = shown == .speaking && state == .thinking ? gapTicks + 1 : 0
    if gapTicks == 0 || Self.tick * gapTicks >= Self.speechGap { shown = state }
    return shown
  }

  private func showStatus() {
    showFailure()
    let state = steady(AIVoiceAgentState.of(voice: voice))
    idleTicks = state == .idle ? idleTicks + 1 : 0
    if state == .speaking { hasAgentSpoken = true }
    let call = voice.call?.state
    presenter.status(
      state, microphone: call?.localParticipant?.audioLevel ?? 0,
      speaker: call?.remoteParticipants.first?.audioLevel ?? 0)
  }
}
