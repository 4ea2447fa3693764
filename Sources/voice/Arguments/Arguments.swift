/// The words after a command: options with and without a value, and the rest in order.
///
/// An option nobody declared is refused by name, so a typing mistake never passes silently.
struct Arguments {
  /// One option a command understands.
  struct Option {
    var name: String
    /// What the value is called in the help; nil for a switch.
    var value: String?
    var help: String

    init(_ name: String, value: String? = nil, _ help: String) {
      self.name = name
      self.value = value
      self.help = help
    }
  }

  private var values: [String: String] = [:]
  private var switches: Set<String> = []
  /// Words that are no options, in order.
  private(set) var words: [String] = []

  /// Reads the words of a command.
  ///
  /// - Throws: ``UsageError`` naming the word it did not understand.
  init(_ raw: [String], options: [Option], command: String, words maximumWords: Int = 0)
    throws(UsageError)
  {
    var rest = raw[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        words.append(word)
        continue
      }
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      let name = parts[0]
      guard let option = options.first(where: { $0.name == name }) else {
        throw UsageError(
          "voice \(command): unknown option \(name). `voice \(command) --help` lists the options.")
      }
      if option.value == nil {
        guard parts.count == 1 else {
          throw UsageError("voice \(command): \(name) takes no value, but got \(parts[1]).")
        }
        switches.insert(name)
      } else if parts.count == 2 {
        values[name] = parts[1]
      } else if let value = rest.first, !value.hasPrefix("--") {
        values[name] = value
        rest.removeFirst()
      } else {
        throw UsageError("voice \(command): \(name) needs a value (\(option.value ?? "")).")
      }
    }
    if words.count > maximumWords {
      throw UsageError(
        "voice \(command): did not expect \"\(words[maximumWords])\". "
          + "`voice \(command) --help` shows what it takes.")
    }
  }

  /// Whether a switch was given.
  func has(_ name: String) -> Bool { switches.contains(name) }

  /// The value of an option, nil when it was not given.
  subscript(name: String) -> String? { values[name] }

  /// A whole number of an option.
  ///
  /// - Throws: ``UsageError`` when the value is no number of the range.
  func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
    guard let text = values[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw UsageError(
        "\(name) wants a whole number from \(range.lowerBound) to \(range.upperBound), "
          + "but got \"\(text)\".")
    }
    return number
  }
}

/// A command line that could not be understood. Exit code 64 (sysexits.h, EX_USAGE).
struct UsageError: Error {
  var sentence: String

  init(_ sentence: String) {
    self.sentence = sentence
  }
}
