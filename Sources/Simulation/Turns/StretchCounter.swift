/// Finds the stretches of sound in speech of the simulated person and tells the short from the long.
/// A value.
struct StretchCounter {
  /// 20 ms at 16 kHz.
  private static let block = 320
  /// Blocks of silence that part two stretches: 60 ms.
  private static let gap = 3
  /// What the codec smears is no stretch: 100 ms.
  private static let shortest = 5
  /// From here on a stretch is a long one: 500 ms, between the 300 and the 800 of a script.
  private static let long = 25
  /// -50 dBFS, as a mean power of 16-bit samples: between the room and the person.
  private static let audible: Float = 10_000

  /// Whether each stretch is a long one, in order.
  static func isLong(in samples: [Int16]) -> [Bool] {
    var lengths: [Int] = []
    var (length, silent) = (0, 0)
    for start in stride(from: 0, to: samples.count, by: block) {
      let part = samples[start..<min(start + block, samples.count)]
      let power = part.reduce(Float(0)) { $0 + Float($1) * Float($1) } / Float(part.count)
      if power >= audible {
        length += silent + 1
        silent = 0
      } else if length > 0 {
        silent += 1
        if silent == gap {
          lengths.append(length)
          (length, silent) = (0, 0)
        }
      }
    }
    if length > 0 { lengths.append(length) }
    return lengths.filter { $0 >= shortest }.map { $0 >= long }
  }

  /// What a recogniser would write down.
  static func words(_ isLong: [Bool]) -> String {
    isLong.map { $0 ? "long" : "short" }.joined(separator: " ")
  }
}
