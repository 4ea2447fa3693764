/// One knob of a sound card, in one direction.
public struct MixerElement: Sendable, Hashable {
  public enum Direction: String, Sendable, Hashable, Codable {
    case playback, capture
  }

  /// A level with the range that it is in.
  public struct Decibels: Sendable, Hashable {
    public var value: Double
    public var least: Double
    public var most: Double

    public init(value: Double, least: Double, most: Double) {
      self.value = value
      self.least = least
      self.most = most
    }
  }

  /// ALSA's name, e.g. `Speaker`.
  public var name: String
  /// Tells elements of one name apart.
  public var index: Int
  public var direction: Direction
  /// `nil` without a switch.
  public var isOn: Bool?
  /// 0 to 1 of the raw range; `nil` without a volume.
  public var level: Double?
  /// `nil` where the driver does not tell.
  public var decibels: Decibels?

  public init(
    name: String, index: Int = 0, direction: Direction, isOn: Bool? = nil, level: Double? = nil,
    decibels: Decibels? = nil
  ) {
    self.name = name
    self.index = index
    self.direction = direction
    self.isOn = isOn
    self.level = level
    self.decibels = decibels
  }

  /// What it is, in few words: `Speaker 74 % (-6.0 dB)`, `Capture off`.
  public var text: String {
    var text = index == 0 ? name : "\(name),\(index)"
    if isOn == false { return text + " off" }
    if let level { text += " \(Int((level * 100).rounded())) %" }
    if let decibels {
      let tenths = Int((decibels.value * 10).rounded())
      text += " (\(tenths < 0 ? "-" : "+")\(abs(tenths) / 10).\(abs(tenths) % 10) dB)"
    }
    return level == nil && isOn == true ? text + " on" : text
  }
}

/// A knob turned to a place.
public struct MixerChange: Sendable, Hashable, Codable {
  public var name: String
  public var index: Int
  public var direction: MixerElement.Direction
  public var isOn: Bool?
  /// 0 to 1 of the raw range.
  public var level: Double?

  public init(_ element: MixerElement, isOn: Bool? = nil, level: Double? = nil) {
    name = element.name
    index = element.index
    direction = element.direction
    self.isOn = isOn
    self.level = level
  }

  /// The change as a sentence's part: `Speaker to 75 %`, `Capture on`.
  public var text: String {
    let title = index == 0 ? name : "\(name),\(index)"
    let level = level.map { "\(Int(($0 * 100).rounded())) %" }
    switch (isOn, level) {
    case (let isOn?, let level?): return "\(title) \(isOn ? "on" : "off"), \(level)"
    case (let isOn?, nil): return "\(title) \(isOn ? "on" : "off")"
    case (nil, let level?): return "\(title) to \(level)"
    case (nil, nil): return title
    }
  }
}
