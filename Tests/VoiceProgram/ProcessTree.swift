import Foundation

/// The processes below another one, as /proc shows them.
public enum ProcessTree {
  /// The first descendant of `parent` whose command line contains `name`.
  public static func descendant(of parent: Int32, named name: String) -> Int32? {
    var below: Set<Int32> = [parent]
    let all = everyProcess()
    // Parents may come after their children in the list: look until nothing is added.
    var count = 0
    while below.count != count {
      count = below.count
      for entry in all where below.contains(entry.parent) { below.insert(entry.id) }
    }
    return below.subtracting([parent]).sorted().first { commandLine(of: $0).contains(name) }
  }

  private static func everyProcess() -> [(id: Int32, parent: Int32)] {
    // A process may end while its entry is read; then it is no longer of interest.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { name in
      guard let id = Int32(name),
        let line = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
        let close = line.lastIndex(of: ")")
      else { return nil }
      let fields = line[line.index(after: close)...].split(separator: " ")
      guard fields.count > 1, let parent = Int32(fields[1]) else { return nil }
      return (id, parent)
    }
  }

  private static func commandLine(of id: Int32) -> String {
    // As above.
    (try? String(contentsOfFile: "/proc/\(id)/cmdline", encoding: .utf8)) ?? ""
  }
}
