import Foundation

/// A folder of a test's own.
struct TemporaryFolder {
  private let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "stores-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  func path(_ name: String) -> String {
    url.appending(path: name).path
  }

  func remove() {
    // What cannot be removed stays in the system's temporary folder.
    try? FileManager.default.removeItem(at: url)
  }
}
