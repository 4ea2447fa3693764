/// Which PCMs to open: what the configuration names, or the very hardware that was open before.
///
/// A value without I/O: what cards there are is given to it.
struct DeviceChoice: Sendable, Equatable {
  /// A PCM that was open, and the hardware behind it.
  struct Known: Sendable, Equatable {
    var pcm: CardPCM
    var identity: CardIdentity
  }

  /// Names for ALSA.
  struct Names: Sendable, Equatable {
    var capture: String
    var playback: String
  }

  /// As configured; `auto` takes the first card with both directions.
  var capture: String
  var playback: String
  /// What was open last; `nil` before the first start, and for what is no card (a sound server).
  private(set) var knownCapture: Known?
  private(set) var knownPlayback: Known?

  init(capture: String, playback: String) {
    self.capture = capture
    self.playback = playback
  }

  /// A device was opened under these names.
  mutating func opened(_ names: Names, cards: [AudioCard]) {
    knownCapture = Self.known(names.capture, cards)
    knownPlayback = Self.known(names.playback, cards)
  }

  /// The cards that were opened, each once, as they are called now.
  var identities: [CardIdentity] {
    guard let knownCapture else { return knownPlayback.map { [$0.identity] } ?? [] }
    guard let knownPlayback, knownPlayback.identity != knownCapture.identity else {
      return [knownCapture.identity]
    }
    return [knownCapture.identity, knownPlayback.identity]
  }

  private static func known(_ name: String, _ cards: [AudioCard]) -> Known? {
    guard let pcm = CardPCM(name), let card = pcm.find(in: cards) else { return nil }
    return Known(pcm: pcm, identity: card.identity)
  }

  /// What to open now.
  ///
  /// - Parameter mayReplace: the hardware that was open has been away for so long that what the
  ///   configuration names may take its place.
  /// - Throws: ``AudioError`` of code `noDevice` while the hardware that was open is not there.
  func names(cards: [AudioCard], mayReplace: Bool) throws(AudioError) -> Names {
    let chosen = automatic(cards)
    return Names(
      capture: try name(
        capture, knownCapture, chosen?.capture, cards, mayReplace: mayReplace, "microphone"),
      playback: try name(
        playback, knownPlayback, chosen?.playback, cards, mayReplace: mayReplace, "speaker"))
  }

  private func name(
    _ configured: String, _ known: Known?, _ automatic: String?, _ cards: [AudioCard],
    mayReplace: Bool, _ direction: String
  ) throws(AudioError) -> String {
    if let known {
      if let card = known.identity.find(in: cards) {
        var pcm = known.pcm
        pcm.card = card.id
        return pcm.name
      }
      guard mayReplace else {
        throw AudioError(
          code: .noDevice,
          message: "The \(direction) \(known.pcm.card) (\(known.identity.stableID)) is not plugged"
            + " in. It is used again as soon as it is.")
      }
    }
    // Without any card ALSA's own opening says what to do.
    return configured == "auto" ? automatic ?? configured : configured
  }

  /// For `auto`: one device with both directions, else one card, else the first of each.
  private func automatic(_ cards: [AudioCard]) -> Names? {
    let cards = cards.filter { !$0.isForbidden }
    let devices = cards.flatMap(\.devices)
    if let both = devices.first(where: { $0.captures && $0.plays }) {
      return Names(capture: both.pcm, playback: both.pcm)
    }
    for card in cards {
      guard let captures = card.devices.first(where: \.captures),
        let plays = card.devices.first(where: \.plays)
      else { continue }
      return Names(capture: captures.pcm, playback: plays.pcm)
    }
    guard let captures = devices.first(where: \.captures), let plays = devices.first(where: \.plays)
    else { return nil }
    return Names(capture: captures.pcm, playback: plays.pcm)
  }
}
