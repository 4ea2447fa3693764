import Foundation

/// One reply that was cut: what is kept of it against what the room's recording has of it.
public struct HeardCut: Sendable {
  /// Numbers of the words that were kept.
  public var kept: [Int]
  /// What the room heard, in order.
  public var heard: [ToneListener.Word]

  public init(answer: String, recording: ArraySlice<Float>) {
    kept = answer.split(separator: " ").compactMap { Int($0.filter(\.isNumber)) }
    heard = ToneListener().words(in: recording)
  }

  /// A word of which less than this is missing, or less than this was heard, was cut at its edge: the
  /// fade of a cut (10 ms) and what the codec and the listener's window smear.
  public static let edge = 20.0

  /// Whether exactly the words are kept that were heard; one that the cut lies inside may be or not.
  public var isTrue: Bool {
    guard let last = heard.last else { return kept.isEmpty }
    let before = heard.dropLast().map(\.number)
    guard before == Array(1..<before.count + 1), last.number == before.count + 1 else {
      return false
    }
    let length = Double(ScriptedTextToSpeech.samplesPerWord) / 24
    if last.milliseconds >= length { return kept == before + [last.number] }
    return kept == before || kept == before + [last.number]
      || last.milliseconds < Self.edge && kept == before
  }

  /// Milliseconds of the word that the cut lies inside; nil when it lies between two.
  public var straddled: Double? {
    guard let last = heard.last else { return nil }
    let length = Double(ScriptedTextToSpeech.samplesPerWord) / 24
    return (Self.edge..<length - Self.edge).contains(last.milliseconds) ? last.milliseconds : nil
  }
}
