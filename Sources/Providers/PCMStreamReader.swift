/// Reads speech from a body that is PCM16 as asked for, or a WAV file all the same.
///
/// A WAV of a stream has no true length in its head; whatever follows its `data` is taken for sound.
struct PCMStreamReader {
  /// A head longer than this is no head.
  static let headBytesAtMost = 4_096

  /// Said by the head of a WAV file; nil for bare samples.
  private(set) var rate: Int?
  private let mayBeWave: Bool
  private var head: [UInt8] = []
  private var headIsRead = false
  private var odd: UInt8?
  private var channels = 1

  /// - Parameter mayBeWave: false takes everything for samples.
  init(mayBeWave: Bool = true) {
    self.mayBeWave = mayBeWave
    headIsRead = !mayBeWave
  }

  /// Takes the next bytes and returns the samples they complete; of several channels the first.
  ///
  /// - Throws: a sentence's end, such as "a WAV file of 24 bit".
  mutating func take(_ bytes: [UInt8]) throws(Unreadable) -> [Int16] {
    guard headIsRead else {
      head += bytes
      guard let body = try readHead() else { return [] }
      headIsRead = true
      head = []
      return samples(body)
    }
    return samples(bytes[...])
  }

  /// What is left of a body too short to have a head.
  mutating func finish() -> [Int16] {
    defer { head = [] }
    return headIsRead || isWave ? [] : samples(head[...])
  }

  struct Unreadable: Error {
    var what: String
  }

  private var isWave: Bool { head.starts(with: Array("RIFF".utf8)) }

  /// The bytes behind the head; nil while it is not whole.
  private mutating func readHead() throws(Unreadable) -> ArraySlice<UInt8>? {
    guard head.count >= 4 else { return nil }
    guard isWave else { return head[...] }
    var place = 12
    while head.count >= place + 8 {
      let name = String(decoding: head[place..<place + 4], as: UTF8.self)
      let size = number(place + 4, 4)
      if name == "data" { return head[(place + 8)...] }
      guard size <= Self.headBytesAtMost else { throw Unreadable(what: "a WAV file without data") }
      guard head.count >= place + 8 + size else { break }
      if name == "fmt " {
        guard size >= 16 else { throw Unreadable(what: "a WAV file with a short format") }
        let bits = number(place + 22, 2)
        guard bits == 16 else { throw Unreadable(what: "a WAV file of \(bits) bit") }
        channels = max(1, number(place + 10, 2))
        rate = number(place + 12, 4)
      }
      place += 8 + size + size % 2
    }
    guard head.count <= Self.headBytesAtMost else {
      throw Unreadable(what: "a WAV file without data")
    }
    return nil
  }

  private func number(_ place: Int, _ count: Int) -> Int {
    (0..<count).reduce(0) { $0 | Int(head[place + $1]) << (8 * $1) }
  }

  private mutating func samples(_ bytes: ArraySlice<UInt8>) -> [Int16] {
    var body = (odd.map { [$0] } ?? []) + bytes
    let whole = body.count / (2 * channels) * (2 * channels)
    // With several channels the rest of a frame is rare enough to be dropped at the end of a piece.
    odd = channels == 1 && body.count > whole ? body.removeLast() : nil
    let all = LittleEndianSamples.samples(of: body[..<whole])
    return channels == 1 ? all : stride(from: 0, to: all.count, by: channels).map { all[$0] }
  }
}
