/// Whether the microphone goes to the call, by the wake word and by who speaks.
///
/// Asleep nothing goes out. The word opens; whoever speaks keeps open, and the pause after it.
struct WakeWordGate: Sendable {
  enum Event: Sendable, Equatable {
    /// The word was said, or the user did what stands for it.
    case called
    case personSpeaks(Bool)
    case agentSpeaks(Bool)
    /// The pause of this number is over.
    case pauseOver(Int)
    /// The device left the call.
    case released
  }

  enum Action: Sendable, Equatable {
    /// The microphone goes out from here on; after the word, and only then, with what was kept of the
    /// moment before.
    case open(isCalled: Bool)
    case close
    /// Tell `pauseOver` with the number after this time.
    case pause(Duration, Int)
  }

  private(set) var isOpen = false
  private let followUp: Duration
  private var personSpeaks = false
  private var agentSpeaks = false
  /// Of the newest pause; an earlier one that ends is of no account.
  private var pauseNumber = 0

  init(followUp: Duration) {
    self.followUp = followUp
  }

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .called:
      return open(isCalled: true)
    case .personSpeaks(let speaks):
      guard speaks != personSpeaks else { return [] }
      personSpeaks = speaks
      // Whoever is only talking in the room does not open.
      return isOpen ? waitOrListen() : []
    case .agentSpeaks(let speaks):
      guard speaks != agentSpeaks else { return [] }
      agentSpeaks = speaks
      // An agent that begins by itself may be answered without the word.
      return speaks && !isOpen ? open(isCalled: false) : isOpen ? waitOrListen() : []
    case .pauseOver(let number):
      guard isOpen, number == pauseNumber else { return [] }
      isOpen = false
      return [.close]
    case .released:
      pauseNumber += 1
      personSpeaks = false
      agentSpeaks = false
      guard isOpen else { return [] }
      isOpen = false
      return [.close]
    }
  }

  private mutating func open(isCalled: Bool) -> [Action] {
    let opening: [Action] = isOpen ? [] : [.open(isCalled: isCalled)]
    isOpen = true
    return opening + waitOrListen()
  }

  /// While somebody speaks no pause runs; after it a new one.
  private mutating func waitOrListen() -> [Action] {
    pauseNumber += 1
    return personSpeaks || agentSpeaks ? [] : [.pause(followUp, pauseNumber)]
  }
}
