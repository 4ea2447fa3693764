import CAudioDevice
import Glibc

/// What one direction of a PCM takes natively.
public struct NativeFormat: Sendable, Hashable {
  /// ALSA's names, e.g. `S16_LE`.
  public var formats: [String]
  /// In Hz, of the usual ones.
  public var rates: [Int]
  public var channels: ClosedRange<Int>

  /// Asks the PCM; nothing is set and no sound flows. Waits for the driver.
  ///
  /// - Throws: ``AudioError`` of code `busy` when another program holds it, `notPermitted`, or
  ///   `noDevice`.
  public init(pcm: String, captures: Bool) throws(AudioError) {
    var raw = ad_native_format()
    let result = ad_native_format_read(pcm, captures ? 1 : 0, &raw)
    guard result == 0 else {
      switch -result {
      case EBUSY:
        throw AudioError(code: .busy, message: "Another program holds it.")
      case EACCES, EPERM:
        throw AudioError(code: .notPermitted, message: "This user may not open it.")
      default:
        throw AudioError(
          code: .noDevice, message: "It cannot be asked: \(String(cString: strerror(-result))).")
      }
    }
    formats = withUnsafeBytes(of: raw.formats) { bytes in
      (0..<Int(raw.format_count)).map { index in
        String(decoding: bytes.dropFirst(16 * index).prefix { $0 != 0 }, as: UTF8.self)
      }
    }
    rates = withUnsafeBytes(of: raw.rates) { bytes in
      bytes.bindMemory(to: UInt32.self).prefix(Int(raw.rate_count)).map(Int.init)
    }
    channels = Int(raw.least_channels)...max(Int(raw.least_channels), Int(raw.most_channels))
  }

  /// `S16_LE S32_LE, 16000 48000 Hz, 1-2 ch`
  public var text: String {
    let count =
      channels.count == 1
      ? "\(channels.lowerBound)" : "\(channels.lowerBound)-\(channels.upperBound)"
    return "\(formats.joined(separator: " ")), \(rates.map(String.init).joined(separator: " ")) Hz,"
      + " \(count) ch"
  }
}
