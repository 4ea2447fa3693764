import Networking

/// How long the person on a call has heard nothing, and when that has to end. A value.
struct QuietWatch {
  /// What is said so that nobody waits in silence: no part of any answer.
  static let fillers = ["One moment, please.", "Just a moment.", "Still with you."]
  /// From the order to say something until it is audible: the voice, the way to the device, its
  /// buffer (measured 150 ms with the embedded voice; a remote one takes longer).
  static let head = Duration.milliseconds(400)
  /// From handing speech over to hearing it.
  private static let output = Duration.milliseconds(100)

  private let budget: Duration
  private var quietFrom: MonotonicInstant
  private(set) var fillersSaid = 0

  /// - Parameter since: when the turn of the person was over.
  init(budget: Duration, since: MonotonicInstant) {
    self.budget = budget
    quietFrom = since
  }

  /// When a filler has to be ordered, if nothing sounds until then.
  var due: MonotonicInstant { quietFrom + max(.zero, budget - Self.head) }

  /// Speech of this length was handed over and will sound after what is still sounding.
  mutating func handedOver(_ length: Duration, at now: MonotonicInstant) {
    quietFrom = max(quietFrom, now + Self.output) + length
  }

  /// The next filler's words.
  mutating func nextFiller() -> String {
    defer { fillersSaid += 1 }
    return Self.fillers[fillersSaid % Self.fillers.count]
  }
}
