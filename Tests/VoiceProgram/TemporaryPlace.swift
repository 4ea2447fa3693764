public import Foundation

/// A folder of its own for one test, removed with `remove()`.
public struct TemporaryPlace: Sendable {
  public let folder: URL

  public init() throws {
    folder = FileManager.default.temporaryDirectory.appending(
      path: "voice-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// What is left of a test in the temporary folder harms nobody.
  public func remove() {
    try? FileManager.default.removeItem(at: folder)
  }

  public func file(_ name: String) -> URL { folder.appending(path: name) }

  @discardableResult
  public func write(_ name: String, _ text: String) throws -> URL {
    try FileManager.default.createDirectory(
      at: file(name).deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file(name), atomically: true, encoding: .utf8)
    return file(name)
  }

  /// Writes a router's configuration with one agent.
  ///
  /// - Parameter lines: further lines of the agent, such as `greeting: Hello.`
  /// - Returns: its API key and secret.
  @discardableResult
  public func writeConfiguration(agent lines: [String] = []) throws -> (key: String, secret: String)
  {
    let (key, secret) = ("key_of_a_test", "secret-of-a-test-on-this-machine")
    let text = """
      listen: 127.0.0.1:0
      apps:
        - key: \(key)
          secret: \(secret)
      agents:
        - name: assistant
          instructions: You are a voice assistant. Answer in one short sentence.

      """
    try write("router.yaml", text + lines.map { "    \($0)\n" }.joined())
    return (key, secret)
  }
}
