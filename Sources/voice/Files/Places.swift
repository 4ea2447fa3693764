import Foundation

/// Where the product keeps things on this machine.
struct Places {
  /// Model files, engines and fixtures; may be deleted, set-up makes it again.
  let cache: URL
  /// Configuration, sessions, recordings: what a person would miss.
  let data: URL

  init(environment: [String: String] = ProcessInfo.processInfo.environment) {
    let home = URL(filePath: environment["HOME"] ?? NSHomeDirectory())
    func place(_ own: String, _ xdg: String, _ fallback: String) -> URL {
      if let path = environment[own], !path.isEmpty { return URL(filePath: path) }
      if let path = environment[xdg], !path.isEmpty {
        return URL(filePath: path).appending(path: "voice")
      }
      return home.appending(path: fallback).appending(path: "voice")
    }
    let own = place("VOICE_CACHE", "XDG_CACHE_HOME", ".cache")
    let isNamed = environment["VOICE_CACHE"].map { !$0.isEmpty } ?? false
    cache = isNamed ? own : Self.installed ?? own
    data = place("VOICE_DATA", "XDG_DATA_HOME", ".local/share")
  }

  /// What `make install` put beside the program; nil in a checkout.
  private static var installed: URL? {
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    let share = program.deletingLastPathComponent().appending(path: "../../share/voice")
      .standardizedFileURL
    return FileManager.default.fileExists(atPath: share.appending(path: "models").path)
      ? share : nil
  }

  var models: URL { cache.appending(path: "models") }
  var engines: URL { cache.appending(path: "engines/current/bin") }
  var wakeWordProgram: String { engines.appending(path: "voice-wake").path }
  var fixtures: URL { cache.appending(path: "fixtures") }
  var voiceActivityWeights: URL { models.appending(path: "silero_vad_16k.safetensors") }
  var routerConfiguration: URL { data.appending(path: "router.yaml") }
  var devicePairing: URL { data.appending(path: "device.json") }
  var sessions: URL { data.appending(path: "sessions.db") }
  var recordings: URL { data.appending(path: "recordings") }

  /// The first program or file of the local models that is not where set-up puts it.
  ///
  /// - Parameter languageModel: false when the model is asked for elsewhere.
  func firstMissing(languageModel: Bool) -> URL? {
    let programs = ["voice-stt", "voice-tts"] + (languageModel ? ["voice-llm"] : [])
    let files =
      ["ggml-tiny.en-q8_0.bin", "hibari"]
      + (languageModel ? ["SmolLM2-135M-Instruct.Q4_1.gguf"] : [])
    let needed =
      files.map { models.appending(path: $0) } + [voiceActivityWeights]
      + programs.map { engines.appending(path: $0) }
    return needed.first { !FileManager.default.fileExists(atPath: $0.path) }
  }
}
