import CAudioDevice

/// The knobs of one card, as far as the engine turns them. A test has its own.
///
/// Everything may wait for a driver; call it from a thread that may.
public protocol MixerControl {
  /// All knobs as they are now.
  func elements() -> [MixerElement]
  /// Turns a knob.
  ///
  /// - Throws: ``AudioError`` with the knob's name when it is not there or the card refuses.
  func apply(_ change: MixerChange) throws(AudioError)
}

/// ALSA's simple mixer of a card.
public final class CardMixer: MixerControl {
  private let mixer: OpaquePointer
  private let card: String

  /// Opens the mixer of a card.
  ///
  /// - Parameter card: ALSA's identifier of it; never an index, which changes.
  /// - Throws: ``AudioError`` of code `noDevice` or `notPermitted`.
  public init(card: String) throws(AudioError) {
    var mixer: OpaquePointer?
    let result = ad_mixer_open(&mixer, "hw:CARD=\(card)")
    guard result == 0, let mixer else {
      throw AudioError(
        code: result == -13 || result == -1 ? .notPermitted : .noDevice,
        message: "The mixer of the sound card \(card) cannot be opened (error \(-result)). `voice"
          + " devices` lists the cards there are.")
    }
    self.mixer = mixer
    self.card = card
  }

  deinit {
    ad_mixer_close(mixer)
  }

  public func elements() -> [MixerElement] {
    var raw = [ad_mixer_element](
      repeating: ad_mixer_element(), count: Int(AD_MIXER_ELEMENTS_MAX))
    let count = ad_mixer_list(mixer, &raw, raw.count)
    return raw.prefix(count).map { MixerElement($0) }
  }

  public func apply(_ change: MixerChange) throws(AudioError) {
    var raw = ad_mixer_element()
    withUnsafeMutableBytes(of: &raw.name) { bytes in
      bytes.copyBytes(from: change.name.utf8.prefix(bytes.count - 1))
    }
    raw.index = UInt32(clamping: change.index)
    raw.direction = UInt8(
      change.direction == .capture ? AD_MIXER_CAPTURE : AD_MIXER_PLAYBACK)
    var result: Int32 = 0
    if let level = change.level { result = ad_mixer_set_level(mixer, &raw, Float(level)) }
    if result == 0, let isOn = change.isOn {
      result = ad_mixer_set_switch(mixer, &raw, isOn ? 1 : 0)
    }
    guard result == 0 else {
      throw AudioError(
        code: .unsupported,
        message: "The sound card \(card) does not take \"\(change.text)\" (error \(-result)); its"
          + " knob may have gone with another driver. `voice devices` lists the knobs.")
    }
  }
}

extension MixerElement {
  fileprivate init(_ raw: ad_mixer_element) {
    let name = withUnsafeBytes(of: raw.name) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    self.init(
      name: name, index: Int(raw.index),
      direction: Int32(raw.direction) == Int32(AD_MIXER_CAPTURE) ? .capture : .playback,
      isOn: raw.has_switch != 0 ? raw.is_on != 0 : nil,
      level: raw.has_volume != 0 ? Double(raw.level) : nil,
      decibels: raw.has_decibels == 0
        ? nil
        : Decibels(
          value: Double(raw.decibels), least: Double(raw.least_decibels),
          most: Double(raw.most_decibels)))
  }
}
