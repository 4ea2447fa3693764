import Foundation

/// Writes down the words of a ``ScriptedTextToSpeech`` from a recording of the room alone.
///
/// A window of 10 ms is a word when the tones of its pair carry most of it; the length of a word is
/// the number of its windows, which lie 2.5 ms apart.
public struct ToneListener: Sendable {
  /// A word as it was heard.
  public struct Word: Sendable, Hashable {
    /// The number the word ends with, modulo 64.
    public var number: Int
    public var milliseconds: Double
  }

  private static let window = 480
  private static let hop = 120

  public init() {}

  /// The words in a stretch of a recording at 48 kHz, in order.
  public func words(in recording: ArraySlice<Float>) -> [Word] {
    var words: [Word] = []
    var start = recording.startIndex
    while start + Self.window <= recording.endIndex {
      if let number = number(in: recording[start..<start + Self.window]) {
        if words.last?.number == number {
          words[words.count - 1].milliseconds += Double(Self.hop) / 48
        } else {
          words.append(Word(number: number, milliseconds: Double(Self.hop) / 48))
        }
      }
      start += Self.hop
    }
    // A window across two words may look like a third; no word of this voice is that short.
    return words.filter { $0.milliseconds > 6 }.reduce(into: []) { joined, word in
      if joined.last?.number == word.number {
        joined[joined.count - 1].milliseconds += word.milliseconds
      } else {
        joined.append(word)
      }
    }
  }

  private func number(in window: ArraySlice<Float>) -> Int? {
    let energy = window.withUnsafeBufferPointer { samples in
      var sum: Float = 0
      var index = 0
      while index < samples.count {
        sum += samples[index] * samples[index]
        index += 1
      }
      return sum / Float(samples.count)
    }
    // A sample over -40 dBFS is heard.
    guard energy > SpeakerEar.audible * SpeakerEar.audible else { return nil }
    let low = loudest(TonePair.low, in: window)
    let high = loudest(TonePair.high, in: window)
    return low * 8 + high
  }

  private func loudest(_ tones: [Double], in window: ArraySlice<Float>) -> Int {
    let powers = tones.map { power(of: $0, in: window) }
    return powers.indices.max { powers[$0] < powers[$1] } ?? 0
  }

  /// Goertzel's.
  private func power(of tone: Double, in window: ArraySlice<Float>) -> Float {
    let factor = Float(2 * cos(2 * .pi * tone / 48_000))
    return window.withUnsafeBufferPointer { samples in
      var (before, last): (Float, Float) = (0, 0)
      var index = 0
      while index < samples.count {
        (before, last) = (last, samples[index] + factor * last - before)
        index += 1
      }
      return before * before + last * last - factor * before * last
    }
  }
}
