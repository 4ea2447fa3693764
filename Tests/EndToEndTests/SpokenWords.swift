/// A text as the words one hears: without case and punctuation, numbers as digits.
enum SpokenWords {
  private static let small: [String: Int] = {
    let words =
      "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
      + "fifteen sixteen seventeen eighteen nineteen"
    return Dictionary(
      uniqueKeysWithValues: words.split(separator: " ").enumerated().map { (String($1), $0) })
  }()

  private static let tens: [String: Int] = [
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
  ]

  private static let scales: [String: Int] = ["hundred": 100, "thousand": 1_000]

  static func of(_ text: String) -> [String] {
    let plain = text.lowercased().map { character -> Character in
      character.isLetter || character.isNumber ? character : character == "'" ? "'" : " "
    }
    // "1,042" is one number, and an apostrophe is nothing one hears.
    let joined = String(plain).replacing("'", with: "")
    return numbersAsDigits(joined.split(separator: " ").map(String.init))
  }

  /// "forty" may be followed by "two", "hundred" by anything below.
  private static func follows(_ digit: Int, _ current: Int?) -> Bool {
    guard let rest = current.map({ $0 % 100 }) else { return true }
    return rest == 0 || (rest >= 20 && rest % 10 == 0 && (1..<10).contains(digit))
  }

  /// "one thousand forty two" and "1042" become the same word.
  private static func numbersAsDigits(_ words: [String]) -> [String] {
    var result: [String] = []
    var total = 0
    var current: Int?
    func value() -> Int? { current.map { total + $0 } ?? (total > 0 ? total : nil) }
    for word in words + [""] {
      if let digit = small[word], follows(digit, current) {
        current = (current ?? 0) + digit
      } else if let ten = tens[word], (current ?? 0) % 100 == 0 {
        current = (current ?? 0) + ten
      } else if let scale = scales[word], let factor = current {
        if scale == 1_000 {
          total = factor * scale
          current = 0
        } else {
          current = factor * scale
        }
      } else {
        if let number = value() { result.append("\(number)") }
        (total, current) = (0, nil)
        if let digit = small[word] {
          current = digit
        } else if let ten = tens[word] {
          current = ten
        } else if !word.isEmpty {
          result.append(word)
        }
      }
    }
    return result
  }
}
