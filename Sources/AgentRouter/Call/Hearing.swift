import Networking
import Providers

/// What the agent hears on a call: the turns of the person, and the speech that goes to the
/// recogniser while it is being said.
struct Hearing {
  /// What the recogniser's task is given of an utterance.
  enum Piece: Sendable {
    case samples([Int16])
    /// Nothing can be heard any more, before the detector is sure: the words may be looked for.
    case quieted
    /// The person may be done, for the `number`th time in this utterance.
    case paused(number: Int)
    /// The person went on after all.
    case resumed
  }

  /// One utterance on its way to the recogniser.
  struct Listening {
    var number: Int
    var audio: Inbox<Piece>
  }

  enum Event: Equatable {
    /// Somebody began to speak; feed the recogniser of this utterance.
    case began(number: Int)
    case ended(number: Int, EndpointDetector.Utterance)
  }

  /// Windows kept from before the speech began: a recogniser that starts at the first voiced
  /// window loses the first sound (about 300 ms).
  static let preRollWindows = 10
  /// Windows an utterance may have unread: 65 s, more than the longest turn.
  static let unreadWindows = 2_048
  /// How often in an utterance words are looked for before the detector is sure; from there on it is
  /// waited for. A closed mouth within a word can be as quiet as its end.
  static let quietsAtMost = 12

  private(set) var listening: Listening?
  private(set) var droppedWindows = 0
  /// When the last window came.
  var heardAt: MonotonicInstant?
  private var detector: EndpointDetector
  private var recent: [[Int16]] = []
  private var voicedEnd = VoicedEnd()
  private var lastNumber = 0
  private var isQuiet = false
  private var quiets = 0

  init(_ configuration: TurnConfiguration) {
    var settings = EndpointDetector.Settings()
    settings.silence = UInt64(configuration.silenceMilliseconds) * 16
    detector = EndpointDetector(settings: settings)
  }

  var isSpeaking: Bool { detector.isSpeaking }

  /// Takes the next window of 16 kHz samples.
  mutating func take(first: UInt64, samples: [Int16], probability: Float) -> Event? {
    let event = detector.hear(
      first: first, count: UInt64(samples.count), probability: probability)
    if probability >= detector.settings.voicedProbability {
      voicedEnd.take(first: first, samples: samples)
    }
    put(.samples(samples))
    recent.append(samples)
    if recent.count > Self.preRollWindows { recent.removeFirst() }
    switch event {
    case nil:
      follow(samples)
      return nil
    case .paused(let number):
      put(.paused(number: number))
      return nil
    case .resumed:
      isQuiet = false
      put(.resumed)
      return nil
    case .speechStarted:
      voicedEnd.begin()
      (isQuiet, quiets) = (false, 0)
      lastNumber += 1
      // An utterance that never ended belongs to a device that started anew.
      listening?.audio.fail(.cancelled)
      let audio = Inbox<Piece>(capacity: Self.unreadWindows)
      for window in recent where !audio.put(.samples(window)) { droppedWindows += 1 }
      listening = Listening(number: lastNumber, audio: audio)
      return .began(number: lastNumber)
    case .turnEnded(let utterance):
      return ended(utterance)
    }
  }

  /// Sees by the level alone that the person may be done: the detector still hears 70 ms of speech
  /// behind their last sound, time in which the words can be found.
  private mutating func follow(_ samples: [Int16]) {
    guard detector.isSpeaking, !detector.isPaused else { return }
    if isQuiet, voicedEnd.isLoud(samples) {
      isQuiet = false
      put(.resumed)
    } else if !isQuiet, quiets < Self.quietsAtMost, voicedEnd.isSilent(samples) {
      isQuiet = true
      quiets += 1
      put(.quieted)
    }
  }

  /// No more will come of an utterance in progress: what was heard of it is all.
  mutating func end() -> Event? {
    detector.end().flatMap { ended($0) }
  }

  /// Takes a judgement of how much silence ends the utterance in one of its pauses.
  mutating func wait(milliseconds: Int, inPause pause: Int, of number: Int) -> Event? {
    guard listening?.number == number,
      case .turnEnded(let utterance) = detector.wait(
        UInt64(max(0, milliseconds)) * 16, inPause: pause)
    else { return nil }
    return ended(utterance)
  }

  private mutating func ended(_ detected: EndpointDetector.Utterance) -> Event? {
    var utterance = detected
    utterance.lastVoiced = voicedEnd.refined(utterance.lastVoiced)
    voicedEnd = VoicedEnd()
    guard let ended = listening else { return nil }
    listening = nil
    ended.audio.finish()
    return .ended(number: ended.number, utterance)
  }

  private mutating func put(_ piece: Piece) {
    if let listening, !listening.audio.put(piece) { droppedWindows += 1 }
  }

  /// Forgets an utterance in progress: the device has left, or the session ends.
  mutating func reset() {
    detector.reset()
    voicedEnd = VoicedEnd()
    recent.removeAll()
    listening?.audio.fail(.cancelled)
    listening = nil
  }
}
