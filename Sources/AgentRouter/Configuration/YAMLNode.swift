/// A node of a YAML document with the place it begins at.
struct YAMLNode: Sendable {
  enum Content: Sendable {
    /// `isPlain` = written without quotes, so that `true` and `5` may be a flag and a number.
    case scalar(String, isPlain: Bool)
    case sequence([YAMLNode])
    /// In the order of the file; no key occurs twice.
    case mapping([Entry])
  }

  struct Entry: Sendable {
    var key: String
    var keyMark: Mark
    var value: YAMLNode
  }

  /// Line and column, both counted from 1.
  struct Mark: Sendable, Hashable {
    var line: Int
    var column: Int
  }

  var content: Content
  var mark: Mark

  /// Nothing was written: `key:` without a value, `~` or `null`.
  var isNull: Bool {
    guard case .scalar(let text, isPlain: true) = content else { return false }
    return text.isEmpty || text == "~" || text == "null"
  }

  var kind: String {
    switch content {
    case .scalar: "a single value"
    case .sequence: "a list"
    case .mapping: "a mapping"
    }
  }
}
