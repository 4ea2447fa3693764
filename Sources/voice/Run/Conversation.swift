import VisionAgentsCore

/// One conversation as this program follows it: events into the ledger, states and words to the
/// presenter.
@MainActor
final class Conversation {
  let voice: VoiceSession
  private let presenter: any Presenter
  private(set) var ledger = TurnLedger()
  private(set) var transcript: [(side: Side, text: String)] = []
  private var pump: Task<Void, Never>?
  private var lamp: Task<Void, Never>?
  private var hasEnded = false
  private var idleTicks = 0
  private var toldFailure: String?

  /// How often the status line is looked at.
  private static let tick = Duration.milliseconds(50)

  init(voice: VoiceSession, presenter: any Presenter) {
    self.voice = voice
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

  /// Stops following.
  func stop() {
    pump?.cancel()
    lamp?.cancel()
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

  private func showStatus() {
    showFailure()
    let state = AIVoiceAgentState.of(voice: voice)
    idleTicks = state == .idle ? idleTicks + 1 : 0
    let call = voice.call?.state
    presenter.status(
      state, microphone: call?.localParticipant?.audioLevel ?? 0,
      speaker: call?.remoteParticipants.first?.audioLevel ?? 0)
  }
}
