/// Listens for one word; see ``WakeWordProcess``.
public protocol WakeWordDetector: AnyObject, Sendable {
  /// What is to be said, in words for people.
  var phrase: String { get }
  /// Takes samples of the microphone: 16-bit, 16 kHz, mono, in order. It suspends while the detector
  /// is behind.
  func hear(_ samples: [Int16]) async
  /// Returns when the word was said the next time; false once the detector has ended.
  func nextCall() async -> Bool
  func close() async
}
