/// A device that listens only after a word.
///
/// Until the word is said nothing of the microphone leaves the device: no packet is sent.
public struct WakeWord: Sendable, Hashable {
  /// A model that comes with set-up (`alexa`, `hey_jarvis`, `hey_mycroft`, `okay_nabu`), or the path
  /// of a microWakeWord description that ends in `.json`.
  public var name: String
  /// How long the device goes on listening without the word after the agent or the person was heard
  /// last. Eight seconds: long enough to think of the next question (our choice; Assist's devices
  /// wait about as long).
  public var followUp: Duration

  public init(_ name: String, followUp: Duration = .seconds(8)) {
    self.name = name
    self.followUp = followUp
  }
}
