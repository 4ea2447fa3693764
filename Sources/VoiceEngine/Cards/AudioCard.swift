import CAudioDevice
import Glibc

/// A sound card as `voice devices` lists it.
public struct AudioCard: Sendable, Hashable {
  /// ALSA's index; changes with the order of plugging.
  public var index: Int
  /// ALSA's identifier, e.g. `Device`; another card may have it after the next start.
  public var id: String
  /// The name for people.
  public var name: String
  /// Devices of the card.
  public var devices: [AudioCardDevice]
  /// Which piece of hardware it is.
  public var identity: CardIdentity
  /// Why its control device could not be opened: a negative errno, 0 when it could.
  public var refusal: Int32

  public init(
    index: Int, id: String, name: String, devices: [AudioCardDevice],
    identity: CardIdentity? = nil, refusal: Int32 = 0
  ) {
    self.index = index
    self.id = id
    self.name = name
    self.devices = devices
    self.identity = identity ?? CardIdentity(cardID: id)
    self.refusal = refusal
  }

  /// Whether this user may not open it.
  public var isForbidden: Bool { refusal == -EACCES || refusal == -EPERM }

  /// The cards of this machine, found without opening any PCM (no sound server is woken).
  public static func all() -> [AudioCard] {
    SoundSystem.machine.cards()
  }

  /// Whether the audio thread may run at realtime priority (SCHED_FIFO).
  public static func isRealtimePermitted() -> Bool {
    ad_realtime_is_permitted() != 0
  }

  /// Bytes of memory that this process may lock; `nil` for all of it.
  public static func lockableBytes() -> Int? {
    let bytes = ad_lockable_bytes()
    return bytes < 0 ? nil : Int(bytes)
  }

  /// What ALSA lists where there is no `sysfs`: only cards that this user may open.
  static func listedByALSA() -> [AudioCard] {
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
          pcm: CardPCM(card: cards[last].id, device: Int(device.device)).name,
          name: string(device.device_name), captures: device.captures != 0,
          plays: device.plays != 0))
    }
    return cards
  }

  /// Asks the card's control device for the names that people know.
  mutating func readNames() {
    var names = ad_card_device()
    refusal = ad_card_name("hw:CARD=\(id)", &names)
    if refusal == 0 { name = Self.string(names.card_name) }
    for place in devices.indices {
      guard let pcm = CardPCM(devices[place].pcm) else { continue }
      names.device = Int32(pcm.device)
      let isNamed = refusal == 0 && ad_card_device_name("hw:CARD=\(id)", &names) == 0
      devices[place].name = isNamed ? Self.string(names.device_name) : name
    }
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
