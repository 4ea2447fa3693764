import Foundation

/// A mono 16-bit recording in memory, read from and written to RIFF/WAVE files.
struct WAVFile {
  var rate: Int
  var samples: [Int16]

  /// Reads a 16-bit PCM file of 1 or 2 channels.
  ///
  /// - Parameter channel: the one to read of two, from 0; nil averages them.
  /// - Throws: ``FileFault`` saying what the file is instead.
  init(contentsOf url: URL, channel: Int? = nil) throws(FileFault) {
    let bytes: [UInt8]
    do {
      bytes = [UInt8](try Data(contentsOf: url))
    } catch {
      throw FileFault("cannot read \(url.path): \(error.localizedDescription)")
    }
    guard bytes.count >= 44, bytes[0..<4].elementsEqual("RIFF".utf8),
      bytes[8..<12].elementsEqual("WAVE".utf8)
    else {
      throw FileFault(
        "\(url.path) is not a WAV file (no RIFF/WAVE header in its \(bytes.count) bytes). "
          + "Convert it: sox INPUT -r 48000 -c 1 -b 16 OUTPUT.wav")
    }
    var format: (tag: Int, channels: Int, rate: Int, bits: Int)?
    var position = 12
    while position + 8 <= bytes.count {
      let size = Self.little(bytes, position + 4, 4)
      let body = position + 8
      let end = min(bytes.count, body + size)
      if bytes[position..<position + 4].elementsEqual("fmt ".utf8), end - body >= 16 {
        format = (
          Self.little(bytes, body, 2), Self.little(bytes, body + 2, 2),
          Self.little(bytes, body + 4, 4), Self.little(bytes, body + 14, 2)
        )
      } else if bytes[position..<position + 4].elementsEqual("data".utf8), let format {
        guard [1, 0xFFFE].contains(format.tag), format.bits == 16,
          (1...2).contains(format.channels),
          (8_000...192_000).contains(format.rate)
        else {
          throw FileFault(
            "\(url.path) has \(format.channels) channels of \(format.bits) bits at "
              + "\(format.rate) Hz (format \(format.tag)); 16-bit PCM with 1 or 2 channels is read. "
              + "Convert it: sox INPUT -r 48000 -c 1 -b 16 OUTPUT.wav")
        }
        rate = format.rate
        samples = Self.mono(
          bytes[body..<end], channels: format.channels,
          only: channel.map { min($0, format.channels - 1) })
        return
      }
      position = body + size + (size & 1)
    }
    throw FileFault("\(url.path) is a WAV file without sound (no data chunk).")
  }

  private static func little(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
    var value = 0
    for index in (0..<count).reversed() { value = value << 8 | Int(bytes[at + index]) }
    return value
  }

  private static func mono(_ bytes: ArraySlice<UInt8>, channels: Int, only: Int?) -> [Int16] {
    let frame = 2 * channels
    var mixed: [Int16] = []
    mixed.reserveCapacity(bytes.count / frame)
    var position = bytes.startIndex
    while position + frame <= bytes.endIndex {
      var sum = 0
      for channel in only.map({ $0..<$0 + 1 }) ?? 0..<channels {
        let low = UInt16(bytes[position + 2 * channel])
        let high = UInt16(bytes[position + 2 * channel + 1])
        sum += Int(Int16(bitPattern: high << 8 | low))
      }
      mixed.append(Int16(only == nil ? sum / channels : sum))
      position += frame
    }
    return mixed
  }
}

/// A file that is not what it should be.
struct FileFault: Error {
  var sentence: String

  init(_ sentence: String) {
    self.sentence = sentence
  }
}
