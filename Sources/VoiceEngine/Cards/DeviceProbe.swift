import CAudioDevice

/// A PCM that was tried and not taken.
public struct PCMRefusal: Sendable, Hashable {
  public var pcm: String
  public var captures: Bool
  /// A sentence.
  public var reason: String
}

/// What would be opened now, and what was tried before.
public struct DeviceProbe: Sendable, Hashable {
  /// The microphone with its format; empty when none can be opened.
  public private(set) var capture = ""
  /// The speaker with its format; empty when none can be opened.
  public private(set) var playback = ""
  public private(set) var refusals: [PCMRefusal] = []
  /// Why nothing can be opened; `nil` when all is well.
  public private(set) var failure: String?

  /// Opens what a configuration names and closes it again; no sound flows. Waits for drivers.
  public init(_ configuration: VoiceDeviceConfiguration, cards: [AudioCard]) {
    let choice = DeviceChoice(capture: configuration.capture, playback: configuration.playback)
    var config = ad_config()
    do throws(AudioError) {
      let names = try choice.names(cards: cards, mayReplace: true)
      config.microphone_channel = UInt32(clamping: configuration.microphoneChannel)
      config.reference_channel = UInt32(clamping: configuration.referenceChannel)
      guard copyName(names.capture, to: &config.capture),
        copyName(names.playback, to: &config.playback)
      else {
        failure = "A device name is longer than \(AD_NAME_BYTES - 1) bytes."
        return
      }
    } catch {
      failure = error.message
      return
    }
    var status = ad_status()
    var sentence = [CChar](repeating: 0, count: 512)
    let result = ad_device_probe(&config, &status, &sentence, sentence.count)
    if result < 0 { failure = text(sentence) }
    capture = cText(status.capture)
    playback = cText(status.playback)
    refusals = PCMRefusal.all(of: status)
  }
}

extension PCMRefusal {
  static func all(of status: ad_status) -> [PCMRefusal] {
    withUnsafeBytes(of: status.refusals) { bytes in
      bytes.bindMemory(to: ad_refusal.self).prefix(Int(status.refusal_count)).map { raw in
        PCMRefusal(
          pcm: cText(raw.name), captures: raw.captures != 0, reason: cText(raw.reason))
      }
    }
  }
}

/// Copies a name into a C array. False: it is too long.
func copyName<Storage>(_ name: String, to storage: inout Storage) -> Bool {
  withUnsafeMutableBytes(of: &storage) { bytes in
    guard name.utf8.count < bytes.count else { return false }
    bytes.copyBytes(from: name.utf8)
    return true
  }
}

/// The text of a C array up to its first zero.
func cText<Storage>(_ storage: Storage) -> String {
  withUnsafeBytes(of: storage) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
}
