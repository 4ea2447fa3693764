/// Generations of the router as this device counts them, always upwards.
///
/// A router numbers a call's utterances from 1, and anew after a restart; the device drops whatever
/// is below the last flush. So numbers that start again are lifted above all the device has seen.
struct GenerationMap: Sendable, Equatable {
  private var offset: UInt32 = 0
  /// The highest that the device has seen.
  private(set) var highest: UInt32 = 0

  /// Takes the router's newest generation when the call was joined, or joined again.
  mutating func joined(newest generation: UInt32) {
    if generation &+ offset < highest { offset = highest }
  }

  mutating func onDevice(_ generation: UInt32) -> UInt32 {
    let mapped = generation &+ offset
    highest = max(highest, mapped)
    return mapped
  }

  /// The router's number; nil for an utterance of before its restart, which it does not know.
  func onWire(_ generation: UInt32) -> UInt32? {
    generation > offset ? generation - offset : nil
  }
}
