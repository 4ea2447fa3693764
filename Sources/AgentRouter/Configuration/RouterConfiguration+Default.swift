public import Foundation
import SessionsModel

#if canImport(Glibc)
  import Glibc
#endif

extension RouterConfiguration {
  /// Writes a first configuration with a key pair of its own, readable by its owner only.
  ///
  /// The file appears whole or not at all; one that is there already is never touched.
  ///
  /// - Throws: ``ConfigurationError`` when the file exists or cannot be written.
  public static func createDefault(
    at file: URL, random: () -> UInt64 = { UInt64.random(in: .min ... .max) }
  ) throws(ConfigurationError) {
    let key = "key_" + hex(random(), 12)
    let secret = hex(random(), 16) + hex(random(), 16) + hex(random(), 16) + hex(random(), 16)
    try write(defaultText(key: key, secret: secret), to: file)
  }

  /// Reads a file, after writing a first one when there is none.
  public static func loadOrCreate(at file: URL) throws(ConfigurationError) -> RouterConfiguration {
    if !FileManager.default.fileExists(atPath: file.path) { try createDefault(at: file) }
    return try load(from: file)
  }

  private static func hex(_ value: UInt64, _ digits: Int) -> String {
    let text = String(value, radix: 16)
    return String((String(repeating: "0", count: 16 - text.count) + text).suffix(digits))
  }

  private static func write(_ text: String, to file: URL) throws(ConfigurationError) {
    func failure(_ what: String) -> ConfigurationError {
      ConfigurationError(
        file: file.path, line: 0, column: 0, key: "",
        message: "the first configuration cannot be written: \(what)")
    }
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    } catch {
      throw failure(error.localizedDescription)
    }
    let temporary = file.path + ".\(getpid()).new"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(String(cString: strerror(errno))) }
    defer { unlink(temporary) }
    let bytes = Array(text.utf8)
    let written = Glibc.write(descriptor, bytes, bytes.count)
    let isSynced = fsync(descriptor) == 0
    close(descriptor)
    guard written == bytes.count, isSynced else { throw failure(String(cString: strerror(errno))) }
    // Unlike rename, link refuses to replace a file that has appeared meanwhile.
    guard link(temporary, file.path) == 0 else { throw failure(String(cString: strerror(errno))) }
  }

  private static func defaultText(key: String, secret: String) -> String {
    """
    # Written at the first start. Keep it secret: whoever has the secret is this router's backend.
    listen: 127.0.0.1:\(defaultPort)

    apps:
      - key: \(key)
        secret: \(secret)

    default_agent: assistant

    agents:
      - name: assistant
        instructions: >-
          You are a helpful voice assistant. Your words are spoken aloud, so answer in one or two
          short sentences of plain language, without lists, markdown or emoji. Say so when you do
          not know something.
        turn:
          silence_ms: 500

    # Without this section the models on this box are used. An OpenAI-compatible interface, such
    # as Ollama's, is used by naming it here and in an agent's llm:
    #
    # providers:
    #   ollama:
    #     role: llm
    #     url: http://localhost:11434/v1
    #     model: qwen2.5:3b
    #     key_env: OPENAI_API_KEY

    """
  }
}
