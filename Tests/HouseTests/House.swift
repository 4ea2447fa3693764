import Foundation

/// The checkout as the house's own rules see it.
enum House {
  /// The repository's root.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Source files under a folder of the root, all kinds when `suffix` is nil.
  static func files(under folder: String, suffix: String?) throws -> [URL] {
    let base = root.appending(path: folder)
    let names = try FileManager.default.subpathsOfDirectory(atPath: base.path)
    let kinds = suffix.map { [$0] } ?? [".swift", ".c", ".h", ".cc", ".py", ".sh"]
    return names.filter { name in kinds.contains { name.hasSuffix($0) } }
      .sorted().map { base.appending(path: $0) }
  }

  /// Modules a Swift file imports.
  static func imports(of file: URL) throws -> [String] {
    imports(inText: try String(contentsOf: file, encoding: .utf8))
  }

  static func imports(inText text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ")
      guard let position = words.firstIndex(of: "import"), position <= 2, position + 1 < words.count
      else { return nil }
      return String(words[position + 1])
    }
  }
}
