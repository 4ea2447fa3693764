import Foundation
import SessionsModel
import Testing

@Suite struct RFC3339Tests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0.0), ("2026-10-01T00:00:00Z", 1_790_812_800),
    ("2026-10-01T02:00:00+02:00", 1_790_812_800), ("2026-09-30T19:30:00-04:30", 1_790_812_800),
    ("2000-02-29T12:00:00.5Z", 951_825_600.5), ("1969-12-31T23:59:59.250Z", -0.75),
    ("2026-10-01t00:00:00.123456789z", 1_790_812_800.123456789),
    ("0001-01-01T00:00:00Z", -62_135_596_800),
  ])
  func timesAreReadWithZeroToNineFractionalDigits(_ text: String, _ seconds: Double) throws {
    let date = try #require(RFC3339.date(from: text))
    #expect(abs(date.timeIntervalSince1970 - seconds) < 1e-6)
  }

  @Test(arguments: [
    "", "2026-10-01", "2026-10-01T00:00:00", "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z",
    "2026-10-01T24:00:00Z", "2026-10-01T00:00:00.Z", "2026-10-01T00:00:00.1234567890Z",
    "2026-10-01T00:00:00Zx", "20261001T000000Z", "2026-10-01T00:00:00+2:00",
    "२०२६-10-01T00:00:00Z",
  ])
  func whatIsNoTimestampIsRefused(_ text: String) {
    #expect(RFC3339.date(from: text) == nil)
  }

  @Test func timesAreWrittenWithThreeFractionalDigits() {
    #expect(RFC3339.string(from: Date(timeIntervalSince1970: 0)) == "1970-01-01T00:00:00.000Z")
    #expect(
      RFC3339.string(from: Date(timeIntervalSince1970: 951_825_599.9994))
        == "2000-02-29T11:59:59.999Z")
    #expect(
      RFC3339.string(from: Date(timeIntervalSince1970: -0.001)) == "1969-12-31T23:59:59.999Z")
  }

  @Test(arguments: 0..<200 as Range<UInt64>)
  func anyMillisecondComesBack(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let milliseconds = Int.random(in: -62_135_596_800_000..<253_402_300_800_000, using: &generator)
    let text = RFC3339.string(from: Date(millisecondsSince1970: milliseconds))
    #expect(RFC3339.date(from: text)?.millisecondsSince1970 == milliseconds, "seed \(seed) \(text)")
  }
}
