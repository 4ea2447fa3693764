/// Finds the turns of a person in the probabilities of speech, window by window.
///
/// All positions are samples on the call's 16 kHz timeline, so that what it reports is true however
/// late a window arrives: the end of a turn is dated back to its last voiced sample.
struct EndpointDetector {
  struct Settings: Equatable {
    /// A window is voiced from here on.
    var voicedProbability: Float = 0.5
    /// Speech goes on until the probability falls below this.
    var silentProbability: Float = 0.35
    /// Voiced windows that make a turn; one alone is a click.
    var windowsOfSpeech = 2
    /// Samples of silence that end a turn.
    var silence: UInt64 = 8_000
    /// Samples of silence after which the person may be done, and the words are worth finding.
    var pause: UInt64 = 3_584
    /// Silent samples after which a lone voiced window is forgotten.
    var candidateGap: UInt64 = 2_048
    /// A turn is ended after this many samples even if the person still speaks (60 s).
    var longestTurn: UInt64 = 960_000
  }

  enum Event: Equatable {
    /// Somebody speaks, since `first`.
    case speechStarted(first: UInt64)
    /// The person may be done; the turn is not over yet.
    case paused
    /// The person went on after a pause.
    case resumed
    case turnEnded(Utterance)
  }

  /// What a person said in one go.
  struct Utterance: Equatable {
    /// First sample of the first voiced window.
    var first: UInt64
    /// Just behind the last voiced window: t0 of every latency.
    var lastVoiced: UInt64
    /// Where the end was decided.
    var decided: UInt64
    /// Voiced windows in it.
    var voicedWindows: Int
  }

  private enum State: Equatable {
    case silent
    /// Too little was voiced so far to call it speech.
    case candidate(Utterance)
    case speaking(Utterance, lastActive: UInt64, isPaused: Bool)
  }

  let settings: Settings
  private var state = State.silent
  private var heardUpTo: UInt64 = 0

  init(settings: Settings = Settings()) {
    precondition(settings.silentProbability <= settings.voicedProbability)
    self.settings = settings
  }

  var isSpeaking: Bool {
    if case .speaking = state { return true }
    return false
  }

  /// Takes the next window.
  mutating func hear(first: UInt64, count: UInt64, probability: Float) -> Event? {
    let end = first + count
    // A device that started anew counts from another zero: what it said before is over.
    if first < heardUpTo { state = .silent }
    heardUpTo = end
    let isVoiced = probability >= settings.voicedProbability
    switch state {
    case .silent:
      guard isVoiced else { return nil }
      return becomeCandidate(
        Utterance(first: first, lastVoiced: end, decided: end, voicedWindows: 1))
    case .candidate(var utterance):
      guard isVoiced else {
        if end - utterance.lastVoiced >= settings.candidateGap { state = .silent }
        return nil
      }
      utterance.lastVoiced = end
      utterance.voicedWindows += 1
      return becomeCandidate(utterance)
    case .speaking(var utterance, var lastActive, let wasPaused):
      if isVoiced {
        utterance.lastVoiced = end
        utterance.voicedWindows += 1
      }
      let isActive = probability >= settings.silentProbability
      if isActive { lastActive = end }
      let isOver =
        end - lastActive >= settings.silence || end - utterance.first >= settings.longestTurn
      guard isOver else {
        let isPaused = end - lastActive >= settings.pause
        state = .speaking(utterance, lastActive: lastActive, isPaused: isPaused)
        guard isPaused != wasPaused else { return nil }
        return isPaused ? .paused : .resumed
      }
      state = .silent
      utterance.decided = end
      return .turnEnded(utterance)
    }
  }

  /// Ends a turn in progress now; nil when nobody speaks.
  mutating func end() -> Utterance? {
    guard case .speaking(var utterance, _, _) = state else { return nil }
    state = .silent
    utterance.decided = heardUpTo
    return utterance
  }

  /// Forgets a turn in progress: the device has gone.
  mutating func reset() {
    state = .silent
  }

  private mutating func becomeCandidate(_ utterance: Utterance) -> Event? {
    guard utterance.voicedWindows >= settings.windowsOfSpeech else {
      state = .candidate(utterance)
      return nil
    }
    state = .speaking(utterance, lastActive: utterance.lastVoiced, isPaused: false)
    return .speechStarted(first: utterance.first)
  }
}
