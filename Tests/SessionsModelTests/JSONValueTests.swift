import SessionsModel
import Testing

@Suite struct JSONValueTests {
  @Test(arguments: 0..<200 as Range<UInt64>)
  func anyValueComesBackFromItsText(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let value = Self.random(&generator, depth: 0)
    let text = value.serializedText
    #expect(try JSONValue.parse(text) == value, "seed \(seed): \(text)")
    #expect(try JSONValue.parse(text).serializedText == text, "seed \(seed)")
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func damagedTextIsRefusedOrReadButNeverCrashes(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var bytes = Self.random(&generator, depth: 0).serialized
    for _ in 0..<3 where !bytes.isEmpty {
      bytes[Int.random(in: 0..<bytes.count, using: &generator)] =
        UInt8.random(in: 0...255, using: &generator)
    }
    do throws(JSONParseError) {
      let value = try JSONValue.parse(bytes)
      // Whatever was read must be a value that can be written and read again.
      #expect(throws: Never.self) { try JSONValue.parse(value.serialized) }
    } catch {
      #expect(error.offset <= bytes.count, "seed \(seed)")
    }
  }

  @Test func fieldsAreWrittenInAscendingOrder() {
    let value: JSONValue = ["b": 1, "a": [true, nil, 2.5], "c": ["z": "x", "y": "\u{1}\"\\"]]
    #expect(
      value.serializedText
        == #"{"a":[true,null,2.5],"b":1,"c":{"y":"\u0001\"\\","z":"x"}}"#)
  }

  @Test(arguments: [
    ("0", JSONValue.int(0)), ("-0", .double(-0.0)), ("9223372036854775807", .int(.max)),
    ("9223372036854775808", .double(9_223_372_036_854_775_808)), ("1.0", .double(1)),
    ("1e2", .double(100)), ("-12.5E-1", .double(-1.25)),
    ("5e-324", .double(.leastNonzeroMagnitude)),
  ])
  func numbersKeepTheirKind(_ text: String, _ expected: JSONValue) throws {
    #expect(try JSONValue.parse(text) == expected)
  }

  @Test func wholeNumbersAreReadAlsoFromFractions() {
    #expect(JSONValue.double(3).intValue == 3)
    #expect(JSONValue.double(3.5).intValue == nil)
    #expect(JSONValue.int(3).doubleValue == 3)
    #expect(JSONValue.double(1e300).intValue == nil)
  }

  @Test(arguments: [
    (#""\ud83d\ude00""#, "😀"), (#""\u00e9\/\b\f\n\r\t""#, "é/\u{8}\u{c}\n\r\t"),
    (#""\uFFFF\u0000""#, "\u{FFFF}\0"), ("\"a\u{301}\"", "a\u{301}"),
  ])
  func escapesAreResolved(_ text: String, _ expected: String) throws {
    let read = try #require(try JSONValue.parse(text).stringValue)
    #expect(Array(read.unicodeScalars) == Array(expected.unicodeScalars))
  }

  @Test(arguments: [
    #""\ud83d""#, #""\ude00""#, #""\ud83dx""#, #""\ud83d\n""#, #""\ud83d\ud83d""#,
    #""\ude00\ud83d""#,
  ])
  func anUnpairedSurrogateIsRefused(_ text: String) {
    let error = #expect(throws: JSONParseError.self) { try JSONValue.parse(text) }
    #expect(error?.detail == "an unpaired surrogate")
    #expect(error?.offset == 1)
  }

  @Test(arguments: [
    ("", 0), ("[1,]", 3), ("{\"a\":}", 5), ("{a:1}", 1), ("01", 1), ("1.", 2), (".5", 0),
    ("+1", 0), ("1e", 2), ("nul", 0), ("[1 2]", 3), ("{\"a\" 1}", 5), ("\"a", 2),
    ("\"a\tb\"", 2), ("\"\\x\"", 2), ("\"\\u12g4\"", 5), ("1 2", 2), ("NaN", 0), ("[", 1),
    ("{\"a\":1,}", 7),
  ])
  func aMistakeIsNamedWithItsPlace(_ text: String, _ offset: Int) {
    let error = #expect(throws: JSONParseError.self) { try JSONValue.parse(text) }
    #expect(error?.offset == offset, "\(text)")
    #expect(error?.reason == .syntax)
  }

  @Test func bytesThatAreNotUTF8AreRefused() {
    for bytes: [UInt8] in [[0xC3, 0x28], [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5]] {
      let text = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
      let error = #expect(throws: JSONParseError.self) { try JSONValue.parse(text) }
      #expect(error?.reason == .invalidUTF8)
    }
  }

  @Test func depthIsLimitedExactly() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(throws: Never.self) { try JSONValue.parse(nested(64)) }
    let error = #expect(throws: JSONParseError.self) { try JSONValue.parse(nested(65)) }
    #expect(error?.reason == .tooDeep)
    #expect(error?.offset == 64)
    #expect(throws: JSONParseError.self) { try JSONValue.parse(nested(1_000_000)) }
  }

  @Test func aNumberOutOfRangeIsRefused() {
    let error = #expect(throws: JSONParseError.self) { try JSONValue.parse("[1e999]") }
    #expect(error?.reason == .numberOutOfRange)
    #expect(error?.offset == 1)
  }

  @Test func partsAreReachedAndChangedByKeyAndIndex() throws {
    var value: JSONValue = ["list": ["a", ["n": 7]]]
    #expect(value["list"]?[1]?["n"]?.intValue == 7)
    #expect(value["list"]?[2] == nil)
    #expect(value["missing"]?["deeper"] == nil)
    value["added"] = true
    value["list"] = nil
    #expect(value == ["added": true])
  }

  private static func random(
    _ generator: inout SeededGenerator, depth: Int
  ) -> JSONValue {
    switch Int.random(in: 0..<(depth < 4 ? 8 : 6), using: &generator) {
    case 0: return .null
    case 1: return .bool(Bool.random(using: &generator))
    case 2: return .int(Int(truncatingIfNeeded: generator.next()))
    case 3:
      let number = Double(bitPattern: generator.next())
      return .double(number.isFinite ? number : 0.5)
    case 4, 5: return .string(text(&generator))
    case 6:
      let count = Int.random(in: 0..<5, using: &generator)
      return .array((0..<count).map { _ in random(&generator, depth: depth + 1) })
    default:
      var fields: [String: JSONValue] = [:]
      for _ in 0..<Int.random(in: 0..<5, using: &generator) {
        fields[text(&generator)] = random(&generator, depth: depth + 1)
      }
      return .object(fields)
    }
  }

  private static func text(_ generator: inout SeededGenerator) -> String {
    var text = String.UnicodeScalarView()
    for _ in 0..<Int.random(in: 0..<12, using: &generator) {
      let limit: UInt32 = Bool.random(using: &generator) ? 0x80 : 0x11_0000
      if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &generator)) {
        text.append(scalar)
      }
    }
    return String(text)
  }
}
