/// A sound card as `voice devices` lists it.
public struct AudioCard: Sendable, Hashable {
  /// ALSA's index; changes with the order of plugging.
  public var index: Int
  /// ALSA's identifier, stable for one place of plugging.
  public var id: String
  /// The name for people.
  public var name: String
  /// Devices of the card.
  public var devices: [AudioCardDevice]

  public init(index: Int, id: String, name: String, devices: [AudioCardDevice]) {
    self.index = index
    self.id = id
    self.name = name
    self.devices = devices
  }

  /// The cards of this machine, found without opening any PCM (no sound server is woken).
  public static func all() -> [AudioCard] {
    []
  }
}

/// One PCM device of a card.
public struct AudioCardDevice: Sendable, Hashable {
  /// What to give as `--capture` or `--playback`, e.g. `hw:CARD=Device,DEV=0`.
  public var pcm: String
  /// The name for people.
  public var name: String
  /// Whether it records.
  public var captures: Bool
  /// Whether it plays.
  public var plays: Bool

  public init(pcm: String, name: String, captures: Bool, plays: Bool) {
    self.pcm = pcm
    self.name = name
    self.captures = captures
    self.plays = plays
  }
}
