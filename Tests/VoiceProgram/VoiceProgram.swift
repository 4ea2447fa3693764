public import Foundation

/// The built `voice` program and the places it uses.
public enum VoiceProgram {
  /// Why a test that needs the real thing cannot run.
  public struct Missing: Error, CustomStringConvertible {
    public let description: String
  }

  /// The program of the same build as this one: they lie in one folder.
  ///
  /// - Throws: ``Missing`` when it was not built.
  public static func url() throws(Missing) -> URL {
    let folder = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let program = folder.appending(path: "voice")
    guard FileManager.default.isExecutableFile(atPath: program.path) else {
      throw Missing(
        description: "\(program.path) is missing: build everything first (swift build).")
    }
    return program
  }

  /// Where set-up put models, engines and questions.
  public static var cache: URL {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["VOICE_CACHE"], !path.isEmpty { return URL(filePath: path) }
    if let path = environment["XDG_CACHE_HOME"], !path.isEmpty {
      return URL(filePath: path).appending(path: "voice")
    }
    return URL(filePath: NSHomeDirectory()).appending(path: ".cache/voice")
  }

  /// A test with real models never passes by being skipped.
  ///
  /// - Throws: ``Missing`` naming the first file that is not there.
  public static func requireModels() throws(Missing) {
    let needed = [
      "models/ggml-tiny.en-q8_0.bin", "models/SmolLM2-135M-Instruct.Q4_1.gguf",
      "models/silero_vad_16k.safetensors", "models/hibari", "engines/current/bin/voice-stt",
      "engines/current/bin/voice-llm", "engines/current/bin/voice-tts", "fixtures/questions.json",
    ]
    for name in needed
    where !FileManager.default.fileExists(atPath: cache.appending(path: name).path) {
      throw Missing(
        description: "\(cache.appending(path: name).path) is missing: run make setup.")
    }
  }
}
