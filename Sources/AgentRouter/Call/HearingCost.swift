/// Hears windows as a session does, without a session: what of a frame's cost is the turn engine's.
///
/// Of a window it does what happens between the media thread and the recogniser: the samples are taken
/// over, the end of the turn is looked for, and they are handed on.
package struct HearingCost {
  private var hearing = Hearing(TurnConfiguration())
  private var position: UInt64 = 0
  /// Turns that ended so far.
  package private(set) var turns = 0

  package init() {}

  /// Takes one window of 16 kHz samples.
  package mutating func hear(_ window: UnsafeBufferPointer<Int16>, probability: Float) {
    let samples = Array(window)
    if case .ended = hearing.take(first: position, samples: samples, probability: probability) {
      turns += 1
    }
    position += UInt64(samples.count)
  }
}
