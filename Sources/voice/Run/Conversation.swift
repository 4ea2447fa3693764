import VisionAgentsCore

/// One conversation as this program follows it: events into the ledger, states and words to the
/// presenter.
@MainActor
final class Conversation {
  let voice: VoiceSession
  private let presenter: any Presenter
  private(set) var ledger: TurnLedger
  private(set) var transcript: [(side: Side, text: String)] = []
  private var pump: Task<Void, Never>?
  private var lamp: Task<Void, Never>?
  private var hasEnded = false
  private var idleTicks = 0
  private var toldFailure: String?
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

  /// Stops following; the state shown last is the one that holds now.
  func stop() {
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
  }

  /// The state to show, without the flicker of short gaps in speech.
  private func steady(_ state: AIVoiceAgentState) -> AIVoiceAgentState {
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
