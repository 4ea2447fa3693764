import CAudioDevice

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
    var devices = [ad_card_device](
      repeating: ad_card_device(), count: Int(AD_CARD_DEVICES_MAX))
    let count = ad_cards_list(&devices, devices.count)
    var cards: [AudioCard] = []
    // A negative count means that the kernel has no sound at all: no cards.
    for device in devices.prefix(max(0, count)) {
      if cards.last?.index != Int(device.card) {
        cards.append(
          AudioCard(
            index: Int(device.card), id: string(device.card_id), name: string(device.card_name),
            devices: []))
      }
      let last = cards.count - 1
      cards[last].devices.append(
        AudioCardDevice(
          pcm: "hw:CARD=\(cards[last].id),DEV=\(device.device)", name: string(device.device_name),
          captures: device.captures != 0, plays: device.plays != 0))
    }
    return cards
  }

  /// How many cards there are that this user may not open; ``all()`` does not list them.
  public static func refusedCount() -> Int {
    Int(ad_cards_refused())
  }

  /// Whether the audio thread may run at realtime priority (SCHED_FIFO).
  public static func isRealtimePermitted() -> Bool {
    ad_realtime_is_permitted() != 0
  }

  private static func string<Storage>(_ storage: Storage) -> String {
    withUnsafeBytes(of: storage) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
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
