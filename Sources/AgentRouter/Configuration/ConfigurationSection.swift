import SessionsModel

/// Reads the keys of one mapping and refuses those nobody asked for.
struct ConfigurationSection {
  let file: String
  /// The path of this mapping, such as `agents[0]`; empty at the top.
  let path: String
  let mark: YAMLNode.Mark
  private let entries: [YAMLNode.Entry]
  private var known: Set<String> = []

  init(_ node: YAMLNode, file: String, path: String) throws(ConfigurationError) {
    self.file = file
    self.path = path
    mark = node.mark
    guard case .mapping(let entries) = node.content else {
      throw ConfigurationError(
        file: file, line: node.mark.line, column: node.mark.column, key: path,
        message: "a mapping of keys to values is expected, not \(node.kind)")
    }
    self.entries = entries
  }

  /// The value of a key; nil when it is missing or empty.
  mutating func node(_ key: String) -> YAMLNode? {
    known.insert(key)
    guard let value = entries.first(where: { $0.key == key })?.value, !value.isNull else {
      return nil
    }
    return value
  }

  mutating func string(_ key: String) throws(ConfigurationError) -> String? {
    guard let node = node(key) else { return nil }
    guard case .scalar(let text, _) = node.content else {
      throw mistake(key, node.mark, "a text is expected, not \(node.kind)")
    }
    return text
  }

  mutating func requiredString(_ key: String) throws(ConfigurationError) -> String {
    guard let text = try string(key), !text.isEmpty else {
      throw mistake(key, mark, "is missing")
    }
    return text
  }

  mutating func int(
    _ key: String, in range: ClosedRange<Int>
  ) throws(ConfigurationError) -> Int? {
    guard let node = node(key) else { return nil }
    guard case .scalar(let text, isPlain: true) = node.content, let number = Int(text) else {
      throw mistake(key, node.mark, "a whole number is expected")
    }
    guard range.contains(number) else {
      throw mistake(
        key, node.mark,
        "\(number) is not between \(range.lowerBound) and \(range.upperBound)")
    }
    return number
  }

  /// Dollars per million tokens.
  mutating func price(_ key: String) throws(ConfigurationError) -> Double? {
    guard let node = node(key) else { return nil }
    guard case .scalar(let text, isPlain: true) = node.content, let number = Double(text),
      (0...1_000_000).contains(number)
    else { throw mistake(key, node.mark, "a number of dollars from 0 on is expected") }
    return number
  }

  mutating func bool(_ key: String) throws(ConfigurationError) -> Bool? {
    guard let node = node(key) else { return nil }
    switch node.content {
    case .scalar("true", isPlain: true): return true
    case .scalar("false", isPlain: true): return false
    default: throw mistake(key, node.mark, "true or false is expected")
    }
  }

  mutating func word<Word>(
    _ key: String, as type: Word.Type
  ) throws(ConfigurationError) -> Word? where Word: RawRepresentable<String> & CaseIterable {
    guard let text = try string(key) else { return nil }
    guard let word = Word(rawValue: text) else {
      let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw mistake(key, node(key)?.mark ?? mark, "\(text) is none of \(words)")
    }
    return word
  }

  /// A mapping inside this one.
  mutating func section(_ key: String) throws(ConfigurationError) -> ConfigurationSection? {
    guard let node = node(key) else { return nil }
    return try ConfigurationSection(node, file: file, path: pathOf(key))
  }

  /// The mappings of a list.
  mutating func sections(_ key: String) throws(ConfigurationError) -> [ConfigurationSection] {
    guard let node = node(key) else { return [] }
    guard case .sequence(let nodes) = node.content else {
      throw mistake(key, node.mark, "a list is expected, not \(node.kind)")
    }
    var sections: [ConfigurationSection] = []
    for (index, node) in nodes.enumerated() {
      sections.append(
        try ConfigurationSection(node, file: file, path: "\(pathOf(key))[\(index)]"))
    }
    return sections
  }

  /// The mappings inside this one, by name; for keys that are names.
  mutating func namedSections() throws(ConfigurationError)
    -> [(name: String, section: ConfigurationSection)]
  {
    var sections: [(name: String, section: ConfigurationSection)] = []
    for entry in entries {
      known.insert(entry.key)
      let section = try ConfigurationSection(entry.value, file: file, path: pathOf(entry.key))
      sections.append((entry.key, section))
    }
    return sections
  }

  mutating func stringMap(_ key: String) throws(ConfigurationError) -> [String: String] {
    guard var section = try section(key) else { return [:] }
    var map: [String: String] = [:]
    for entry in section.entries { map[entry.key] = try section.string(entry.key) ?? "" }
    return map
  }

  /// Names, each with a text or a list of texts.
  mutating func stringLists(_ key: String) throws(ConfigurationError) -> [String: [String]] {
    guard var section = try section(key) else { return [:] }
    var map: [String: [String]] = [:]
    for entry in section.entries {
      if case .array(let texts)? = section.json(entry.key) {
        map[entry.key] = texts.compactMap(\.stringValue)
      } else {
        map[entry.key] = [try section.string(entry.key) ?? ""]
      }
    }
    return map
  }

  /// A value of any form as JSON, for schemas.
  mutating func json(_ key: String) -> JSONValue? {
    node(key).map(Self.json)
  }

  /// Where a key's value stands; the mapping's own place when the key is missing.
  mutating func markOf(_ key: String) -> YAMLNode.Mark {
    node(key)?.mark ?? mark
  }

  func refuseUnknownKeys() throws(ConfigurationError) {
    guard let entry = entries.first(where: { !known.contains($0.key) }) else { return }
    throw mistake(
      entry.key, entry.keyMark,
      "unknown key; known here are \(known.sorted().joined(separator: ", "))")
  }

  func mistake(_ key: String, _ mark: YAMLNode.Mark, _ message: String) -> ConfigurationError {
    ConfigurationError(
      file: file, line: mark.line, column: mark.column, key: pathOf(key), message: message)
  }

  private func pathOf(_ key: String) -> String {
    path.isEmpty ? key : "\(path).\(key)"
  }

  private static func json(_ node: YAMLNode) -> JSONValue {
    switch node.content {
    case .mapping(let entries):
      .object(Dictionary(uniqueKeysWithValues: entries.map { ($0.key, json($0.value)) }))
    case .sequence(let nodes): .array(nodes.map(json))
    case .scalar(let text, isPlain: false): .string(text)
    case .scalar("true", _): true
    case .scalar("false", _): false
    case .scalar(let text, _):
      if node.isNull {
        .null
      } else if let number = Int(text) {
        .int(number)
      } else if let number = Double(text), number.isFinite {
        .double(number)
      } else {
        .string(text)
      }
    }
  }
}
