/// Which piece of hardware a sound card is, whatever number or name it has now.
///
/// ALSA numbers cards in the order in which they are found and appends `_1` to a name that is taken,
/// so neither survives a restart or another card. What the bus says does.
public struct CardIdentity: Sendable, Hashable {
  /// What a USB device says of itself.
  public struct USB: Sendable, Hashable {
    /// Four hexadecimal digits.
    public var vendor: String
    /// Four hexadecimal digits.
    public var product: String
    /// Many cheap devices have none.
    public var serial: String?
    /// Where it is plugged in, e.g. `1-2.1`.
    public var port: String

    public init(vendor: String, product: String, serial: String?, port: String) {
      self.vendor = vendor
      self.product = product
      self.serial = serial
      self.port = port
    }
  }

  /// How surely two identities are the same hardware, from the least to the most.
  enum Likeness: Int, Comparable {
    case none, model, place, same

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  /// ALSA's identifier when it was looked at, e.g. `Device`.
  public var cardID: String
  /// The device's place in sysfs; empty when it is not known.
  public var location: String
  /// `nil` for anything but USB.
  public var usb: USB?

  public init(cardID: String, location: String = "", usb: USB? = nil) {
    self.cardID = cardID
    self.location = location
    self.usb = usb
  }

  /// A text that stays the same: `usb:046d:0a44:SERIAL`, `usb:046d:0a44@1-2` without a serial number,
  /// `card:sndrpihifiberry` for what cannot be unplugged.
  public var stableID: String {
    guard let usb else { return "card:\(cardID)" }
    let model = "usb:\(usb.vendor):\(usb.product)"
    return usb.serial.map { "\(model):\($0)" } ?? "\(model)@\(usb.port)"
  }

  /// The stable text as a number, for the core: 0 stands for what is no card (FNV-1a, 32 bits).
  var number: UInt32 {
    max(1, stableID.utf8.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 })
  }

  func likeness(to other: CardIdentity) -> Likeness {
    switch (usb, other.usb) {
    case (let mine?, let theirs?):
      guard mine.vendor == theirs.vendor, mine.product == theirs.product else { return .none }
      if let serial = mine.serial, let other = theirs.serial {
        return serial == other ? .same : .none
      }
      return mine.port == theirs.port ? .place : .model
    case (nil, nil):
      if !location.isEmpty, location == other.location { return .same }
      guard cardID == other.cardID else { return .none }
      return location.isEmpty || other.location.isEmpty ? .place : .model
    default:
      return .none
    }
  }

  /// The card that this is now; `nil` when it is not there, or when several of one model could be it.
  func find(in cards: [AudioCard]) -> AudioCard? {
    let likenesses = cards.map { likeness(to: $0.identity) }
    guard let best = likenesses.max(), best > .none else { return nil }
    let candidates = zip(cards, likenesses).filter { $0.1 == best }.map(\.0)
    return candidates.count == 1 ? candidates[0] : nil
  }
}
