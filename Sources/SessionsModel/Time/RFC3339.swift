public import Foundation

/// Timestamps of the wire (RFC 3339).
public enum RFC3339 {
  /// Writes UTC with three fractional digits, such as `2026-10-01T00:00:00.000Z`.
  public static func string(from date: Date) -> String {
    let milliseconds = date.millisecondsSince1970
    let days = floorDivide(milliseconds, 86_400_000)
    let time = milliseconds - days * 86_400_000
    let (year, month, day) = civil(fromDays: days)
    return pad(year, 4) + "-" + pad(month, 2) + "-" + pad(day, 2) + "T"
      + pad(time / 3_600_000, 2) + ":" + pad(time / 60_000 % 60, 2) + ":"
      + pad(time / 1000 % 60, 2) + "." + pad(time % 1000, 3) + "Z"
  }

  /// Reads a timestamp with 0 to 9 fractional digits and `Z` or a numeric offset.
  ///
  /// - Returns: nil when `text` is none, also for a day or an hour that does not exist.
  public static func date(from text: String) -> Date? {
    var reader = TimestampReader(bytes: Array(text.utf8))
    return reader.read()
  }

  /// Days from 1970-01-01 to a day of the proleptic Gregorian calendar; years begin in March so
  /// that the leap day is a year's last.
  static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = floorDivide(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(fromDays days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  private static func floorDivide(_ value: Int, _ divisor: Int) -> Int {
    value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor)
  }

  private static func pad(_ value: Int, _ width: Int) -> String {
    let text = String(value)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}

extension Date {
  /// Whole milliseconds since 1970, rounded to the nearest: what the wire and the store keep.
  public var millisecondsSince1970: Int {
    Int((timeIntervalSince1970 * 1000).rounded())
  }

  public init(millisecondsSince1970 milliseconds: Int) {
    self.init(timeIntervalSince1970: Double(milliseconds) / 1000)
  }

  /// The same moment as the wire and the store will give it back.
  public var roundedToMilliseconds: Date {
    Date(millisecondsSince1970: millisecondsSince1970)
  }
}

private struct TimestampReader {
  let bytes: [UInt8]
  private var index = 0

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  mutating func read() -> Date? {
    guard
      let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2),
      take("T") || take("t") || take(" "),
      let hour = number(2), take(":"), let minute = number(2), take(":"), let second = number(2),
      (1...12).contains(month), (1...Self.lastDay(year, month)).contains(day),
      hour < 24, minute < 60, second <= 60,
      let nanoseconds = fraction(), let offset = offsetSeconds(), index == bytes.count
    else { return nil }
    let days = RFC3339.days(year: year, month: month, day: day)
    let seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset
    return Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1e9)
  }

  private mutating func fraction() -> Int? {
    guard take(".") else { return 0 }
    let start = index
    var value = 0
    while index - start < 9, let digit = digit() { value = value * 10 + digit }
    let count = index - start
    guard count > 0 else { return nil }
    for _ in count..<9 { value *= 10 }
    return value
  }

  private mutating func offsetSeconds() -> Int? {
    if take("Z") || take("z") { return 0 }
    let sign = take("+") ? 1 : take("-") ? -1 : 0
    guard sign != 0, let hour = number(2), take(":"), let minute = number(2), hour < 24, minute < 60
    else { return nil }
    return sign * (hour * 3600 + minute * 60)
  }

  private mutating func number(_ count: Int) -> Int? {
    var value = 0
    for _ in 0..<count {
      guard let digit = digit() else { return nil }
      value = value * 10 + digit
    }
    return value
  }

  private mutating func digit() -> Int? {
    guard index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index])
    else { return nil }
    index += 1
    return Int(bytes[index - 1] - UInt8(ascii: "0"))
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private static func lastDay(_ year: Int, _ month: Int) -> Int {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    default: 31
    }
  }
}
