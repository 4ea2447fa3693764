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
    /// Samples of silence that end a turn while nobody has said otherwise (``EndpointDetector/wait``).
    var silence: UInt64 = 8_000
    /// Samples of silence after which the person may be done, and the words are worth finding.
    ///
    /// One window: the detector still hears 70 ms of speech behind its last sound, so that 100 ms of
    /// silence have passed by then. In read speech that is 16 pauses in 34 s, where three windows
    /// were 10.
    var pause: UInt64 = 512
    /// Silent samples after which a lone voiced window is forgotten.
    var candidateGap: UInt64 = 2_048
    /// A turn is ended after this many samples even if the person still speaks (60 s).
    var longestTurn: UInt64 = 960_000
  }

  enum Event: Equatable {
    /// Somebody speaks, since `first`.
    case speechStarted(first: UInt64)
    /// The person may be done; the turn is not over yet. Pauses of a turn count from 1.
    case paused(number: Int)
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
    case speaking(Utterance, Course)
  }

  /// How a turn goes on.
  private struct Course: Equatable {
    /// Just behind the last window that was not silent.
    var lastActive: UInt64
    var isPaused = false
    var pauses = 0
    /// Samples of silence that end the turn now.
    var silence: UInt64
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

  /// Whether somebody who speaks may be done.
  var isPaused: Bool {
    if case .speaking(_, let course) = state { return course.isPaused }
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
    case .speaking(var utterance, var course):
      if isVoiced {
        utterance.lastVoiced = end
        utterance.voicedWindows += 1
      }
      if probability >= settings.silentProbability { course.lastActive = end }
      let wasPaused = course.isPaused
      course.isPaused = end - course.lastActive >= settings.pause
      if wasPaused != course.isPaused {
        course.silence = settings.silence
        if course.isPaused { course.pauses += 1 }
      }
      if let event = ended(utterance, course) { return event }
      state = .speaking(utterance, course)
      guard wasPaused != course.isPaused else { return nil }
      return course.isPaused ? .paused(number: course.pauses) : .resumed
    }
  }

  /// Ends a turn in progress now; nil when nobody speaks.
  mutating func end() -> Utterance? {
    guard case .speaking(var utterance, _) = state else { return nil }
    state = .silent
    utterance.decided = heardUpTo
    return utterance
  }

  /// Somebody has judged how complete the turn is: this much silence ends it, unless the person
  /// goes on. A judgement of an earlier pause does nothing.
  mutating func wait(_ silence: UInt64, inPause number: Int) -> Event? {
    guard case .speaking(let utterance, var course) = state, course.isPaused,
      course.pauses == number
    else { return nil }
    course.silence = silence
    if let event = ended(utterance, course) { return event }
    state = .speaking(utterance, course)
    return nil
  }

  private mutating func ended(_ utterance: Utterance, _ course: Course) -> Event? {
    guard
      heardUpTo - course.lastActive >= course.silence
        || heardUpTo - utterance.first >= settings.longestTurn
    else { return nil }
    state = .silent
    var utterance = utterance
    utterance.decided = heardUpTo
    return .turnEnded(utterance)
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
    state = .speaking(
      utterance, Course(lastActive: utterance.lastVoiced, silence: settings.silence))
    return .speechStarted(first: utterance.first)
  }
}
