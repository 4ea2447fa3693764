import Glibc

/// What is wrong with the knobs of a card for a conversation, and how they should stand.
///
/// A value: it is given the knobs. What a knob does is told by its name, as the drivers of USB
/// devices, of laptop codecs and of the usual HATs (WM8960, TLV320, Cirrus) name theirs; a knob whose
/// name says nothing is left alone and blamed for nothing.
public struct MixerJudgement: Sendable, Equatable {
  public enum Problem: String, Sendable, Hashable {
    /// Nothing comes through.
    case muted
    /// Hardly anything comes through.
    case low
    /// An analogue boost that overdrives speech and echo.
    case boosted
    /// The device changes its gain by itself, and the echo canceller with it.
    case automatic
    /// The microphone is heard at the speaker.
    case sidetone
  }

  public struct Finding: Sendable, Hashable {
    public var problem: Problem
    public var element: MixerElement
  }

  /// A level below this share of the range, when it is also below ``lowDecibels``, is too low.
  static let lowLevel = 0.2
  static let lowDecibels = -24.0
  /// Quieter than this is too low whatever the range: raw steps of a codec begin at -121 dB.
  static let inaudibleDecibels = -40.0
  /// A boost of more than this overdrives: measured microphones need 0 to 20 dB.
  static let boostDecibels = 20.0

  /// Worst first.
  public private(set) var findings: [Finding] = []
  private let elements: [MixerElement]

  public init(_ elements: [MixerElement]) {
    self.elements = elements
    judge(Self.speakers(elements), isOnePathEnough: true)
    judge(Self.chain(elements, of: .playback), isOnePathEnough: false)
    judge(Self.microphones(elements), isOnePathEnough: true)
    judge(Self.chain(elements, of: .capture), isOnePathEnough: false)
    for element in elements {
      if Self.isAutomatic(element), element.isOn != false {
        findings.append(Finding(problem: .automatic, element: element))
      } else if Self.isBoost(element), Self.isBoosted(element) {
        findings.append(Finding(problem: .boosted, element: element))
      } else if Self.isSidetone(element), element.isOn == true, (element.level ?? 1) > 0 {
        findings.append(Finding(problem: .sidetone, element: element))
      }
    }
    findings.sort { $0.problem.rank < $1.problem.rank }
  }

  /// What to turn so that nothing is wrong.
  ///
  /// - Parameters:
  ///   - playback: of what is heard, 0 to 1 as people hear it (where decibels are known, as
  ///     `alsamixer` shows it; a raw share of a codec's range would hardly be audible).
  ///   - capture: of the microphone, 0 to 1 of the range.
  public func plan(playback: Double, capture: Double) -> [MixerChange] {
    var changes: [MixerChange] = []
    func turn(_ element: MixerElement, on: Bool = true, to level: Double?) {
      let isOn = element.isOn == on || element.isOn == nil ? nil : on
      let wanted = element.level.flatMap { $0 == level ? nil : level }
      if isOn != nil || wanted != nil {
        changes.append(MixerChange(element, isOn: isOn, level: wanted))
      }
    }
    for element in Self.speakers(elements) {
      turn(element, to: Self.share(playback, of: element))
    }
    for element in Self.microphones(elements) { turn(element, to: capture) }
    for element in Self.chain(elements, of: .playback) + Self.chain(elements, of: .capture) {
      // In between nothing is gained and nothing lost.
      let unity = element.decibels.map { range in
        range.most > range.least
          ? min(1, max(0, (0 - range.least) / (range.most - range.least))) : 1
      }
      turn(element, to: unity ?? 1)
    }
    for element in elements {
      if Self.isAutomatic(element) || Self.isSidetone(element) {
        if element.isOn == true { turn(element, on: false, to: nil) }
      } else if Self.isBoost(element), Self.isBoosted(element) {
        let most = element.decibels?.most ?? 0
        turn(element, to: most > 0 ? min(1, 10 / most) : 0)
      }
    }
    return changes
  }

  /// The raw share of an element's range at which people hear `loudness`.
  static func share(_ loudness: Double, of element: MixerElement) -> Double {
    guard let range = element.decibels, loudness > 0, range.most - range.least > 24,
      range.least > -200
    else { return loudness }
    // 60 dB for a factor of ten: a loudness of 0.5 is 18 dB below the most.
    let decibels = max(range.least, range.most + 60 * log10(loudness))
    return (decibels - range.least) / (range.most - range.least)
  }

  private mutating func judge(_ path: [MixerElement], isOnePathEnough: Bool) {
    let off = path.filter { $0.isOn == false || $0.level == 0 }
    let low = path.filter { $0.isOn != false && $0.level != 0 && Self.isLow($0) }
    if isOnePathEnough {
      guard off.count + low.count == path.count else { return }
      // All are as bad: one that is open and only low is nearer to being heard.
      if let element = low.first {
        findings.append(Finding(problem: .low, element: element))
      } else if let element = off.first {
        findings.append(Finding(problem: .muted, element: element))
      }
    } else {
      findings += off.map { Finding(problem: .muted, element: $0) }
      findings += low.map { Finding(problem: .low, element: $0) }
    }
  }

  private static func isLow(_ element: MixerElement) -> Bool {
    guard let level = element.level else { return false }
    if let decibels = element.decibels, decibels.value < inaudibleDecibels { return true }
    guard level < lowLevel else { return false }
    return element.decibels.map { $0.value < lowDecibels || $0.value == $0.least } ?? true
  }

  private static func isBoosted(_ element: MixerElement) -> Bool {
    if let decibels = element.decibels { return decibels.value > boostDecibels }
    return (element.level ?? 0) > 0.67
  }
}

extension MixerJudgement.Problem {
  fileprivate var rank: Int {
    switch self {
    case .muted: 0
    case .low: 1
    case .boosted: 2
    case .sidetone: 3
    case .automatic: 4
    }
  }
}

// What a knob does, by its name.
extension MixerJudgement {
  /// What ends at something that sounds. One of them is enough.
  static func speakers(_ elements: [MixerElement]) -> [MixerElement] {
    let ends = ["speaker", "headphone", "line out", "lineout", "front", "hdmi", "headset"]
    let named = elements.filter { element in
      element.direction == .playback && !isSidetone(element)
        && ends.contains { element.name.lowercased().hasPrefix($0) }
    }
    // A simple device has one knob for all, whatever it is called.
    return named.isEmpty ? elements.filter { isChain($0, .playback) } : named
  }

  /// What a microphone's sound may come through. One of them is enough.
  static func microphones(_ elements: [MixerElement]) -> [MixerElement] {
    let named = elements.filter { element in
      let name = element.name.lowercased()
      return element.direction == .capture && !isBoost(element)
        && (name.hasPrefix("mic") || name.hasPrefix("internal mic") || name.hasPrefix("headset"))
    }
    return named.isEmpty ? elements.filter { isChain($0, .capture) } : named
  }

  /// What everything goes through.
  static func chain(
    _ elements: [MixerElement], of direction: MixerElement.Direction
  ) -> [MixerElement] {
    let ends = direction == .playback ? speakers(elements) : microphones(elements)
    return elements.filter { isChain($0, direction) && !ends.contains($0) }
      + elements.filter { direction == .capture ? isInputPath($0) : isOutputPath($0) }
  }

  private static func isChain(
    _ element: MixerElement, _ direction: MixerElement.Direction
  ) -> Bool {
    let name = element.name.lowercased()
    let names =
      direction == .playback
      ? ["master", "pcm", "playback", "dac", "digital"] : ["capture", "adc", "digital"]
    return element.direction == direction && names.contains(name)
  }

  /// Switches of a codec's own mixer, which drivers list as playback: `Left Output Mixer PCM`.
  private static func isOutputPath(_ element: MixerElement) -> Bool {
    let name = element.name.lowercased()
    return element.isOn != nil && name.contains("output mixer") && name.hasSuffix("pcm")
      && !name.contains("mono")
  }

  /// `Left Input Mixer Boost`, `Left Boost Mixer LINPUT1`: where a HAT's microphone comes in.
  private static func isInputPath(_ element: MixerElement) -> Bool {
    let name = element.name.lowercased()
    return element.isOn != nil
      && (name.hasSuffix("input mixer boost")
        || name.contains("boost mixer") && name.hasSuffix("input1"))
  }

  static func isBoost(_ element: MixerElement) -> Bool {
    let name = element.name.lowercased()
    return element.level != nil && name.contains("boost") && !name.contains("mixer")
  }

  static func isAutomatic(_ element: MixerElement) -> Bool {
    let name = element.name.lowercased()
    return element.isOn != nil && (name.contains("auto gain") || name == "agc" || name == "alc")
  }

  static func isSidetone(_ element: MixerElement) -> Bool {
    let name = element.name.lowercased()
    return element.direction == .playback && element.isOn != nil
      && (name.hasPrefix("mic") || name.contains("sidetone"))
  }
}
