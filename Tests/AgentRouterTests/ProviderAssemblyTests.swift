import Networking
import Providers
import Synchronization
import Testing

@testable import AgentRouter

/// What a configuration names is what answers.
@Suite struct ProviderAssemblyTests {
  private func assemble(_ text: String, environment: [String: String] = [:]) async throws
    -> (registry: ProviderRegistry, log: [String])
  {
    let runtime = LoopRuntime()
    let transport = LoopTransport(runtime: runtime)
    let log = Log()
    let configuration = try RouterConfiguration.read(
      Array(("apps: [{key: k, secret: s}]\nagents: [{name: a}]\n" + text).utf8),
      file: "router.yaml")
    let assembly = ProviderAssembly(
      runtime: runtime, transport: transport,
      places: ProviderAssembly.Places(engines: "/nowhere", models: "/nowhere")
    ) { log.add($0) }
    let assembled = try assembly.assemble(configuration.providers, environment: environment)
    await transport.stop()
    await runtime.stop()
    return (assembled.registry, log.lines)
  }

  private final class Log: Sendable {
    private let kept = Mutex<[String]>([])
    var lines: [String] { kept.withLock { $0 } }
    func add(_ line: String) { kept.withLock { $0.append(line) } }
  }

  @Test func eachProviderIsOfTheKindThatItsAddressSays() async throws {
    let (registry, log) = try await assemble(
      """
      providers:
        ears: {role: stt, url: "tcp://box:10300"}
        cloud-ears: {role: stt, url: "https://api/v1", model: w}
        mouth: {role: tts, url: "tcp://box:10200"}
        cloud-mouth: {role: tts, url: "https://api/v1", model: t, rate: 48000, key_env: NOT_SET}
        brain: {role: llm, url: "https://api/v1", model: m}
        talker: {role: sts, url: "https://api/v1", model: r}
        own: {role: stt, worker: voice-stt}
      """)
    #expect(registry.speechToText("ears") is WyomingSpeechToText)
    #expect(registry.speechToText("cloud-ears") is OpenAICompatibleSpeechToText)
    #expect(registry.speechToText("own") is WorkerSpeechToText)
    #expect(registry.textToSpeech("mouth") is WyomingTextToSpeech)
    let cloud = try #require(registry.textToSpeech("cloud-mouth"))
    #expect(cloud is OpenAICompatibleTextToSpeech)
    #expect(await cloud.rate == 48_000)
    #expect(registry.languageModel("brain") is OpenAICompatibleLanguageModel)
    #expect(registry.speechToSpeech("talker") is OpenAIRealtimeModel)
    #expect(registry.languageModel("talker") == nil)
    #expect(log == ["cloud-mouth: the environment variable NOT_SET is not set."])
  }

  @Test func anAddressWithoutAHostIsAMistakeOfTheFile() async {
    let error = await #expect(throws: ConfigurationError.self) {
      _ = try await assemble(#"providers: {x: {role: tts, url: "http://", model: m}}"#)
    }
    #expect(error?.key == "providers.x.url")
  }
}
