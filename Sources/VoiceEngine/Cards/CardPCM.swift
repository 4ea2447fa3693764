/// The ALSA name of one PCM of a card, taken apart: `hw:CARD=Device,DEV=0`.
struct CardPCM: Sendable, Hashable {
  /// `hw` or `plughw`.
  var kind: String
  /// An identifier, or an index as text.
  var card: String
  var device: Int

  init(kind: String = "hw", card: String, device: Int) {
    self.kind = kind
    self.card = card
    self.device = device
  }

  /// Reads the name that a description begins with; `nil` for every other kind of PCM.
  init?(_ description: String) {
    guard let word = description.split(separator: " ").first,
      let colon = word.firstIndex(of: ":")
    else { return nil }
    let kind = String(word[..<colon])
    guard kind == "hw" || kind == "plughw" else { return nil }
    var card: String?
    var device = 0
    for (place, part) in word[word.index(after: colon)...].split(separator: ",").enumerated() {
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      let (key, value) =
        pair.count == 2 ? (pair[0], pair[1]) : (place == 0 ? "CARD" : "DEV", pair[0])
      if key == "CARD" { card = value }
      if key == "DEV", place <= 1 || pair.count == 2 { device = Int(value) ?? device }
    }
    guard let card else { return nil }
    self.init(kind: kind, card: card, device: device)
  }

  var name: String { "\(kind):CARD=\(card),DEV=\(device)" }

  /// The card that the name means.
  func find(in cards: [AudioCard]) -> AudioCard? {
    cards.first { $0.id == card }
      ?? Int(card).flatMap { index in cards.first { $0.index == index } }
  }
}
