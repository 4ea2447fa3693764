import Foundation
import SessionsModel
import Testing

@testable import AgentRouter

@Suite struct RouterConfigurationTests {
  private static let agents = "agents: [{name: a}]\n"
  private static let apps = "apps: [{key: k, secret: s}]\n"

  private func read(_ text: String) throws(ConfigurationError) -> RouterConfiguration {
    try RouterConfiguration.read(Array(text.utf8), file: "router.yaml")
  }

  @Test func everythingIsRead() throws {
    let configuration = try read(
      """
      listen: "[::1]:9000"
      default_agent: b
      apps:
        - key: k
          secret: s
      providers:
        ollama: {role: llm, url: "http://localhost:11434/v1", model: qwen2.5:3b, key_env: KEY}
        fast-stt: {role: stt, worker: /opt/voice-stt, threads: 2}
      agents:
        - name: a
        - name: b
          config_id: support
          instructions: |
            Line one.
            Line two.
          greeting: "true"
          llm: ollama
          stt: fast-stt
          tts: local
          voice: amy
          tags: {plan: free}
          channel: false
          turn: {silence_ms: 700}
          tools:
            - name: find_order
              description: Finds an order.
              parameters: {type: object, properties: {id: {type: integer, minimum: 1}}}
      limits: {live_sessions: 5}
      """)
    #expect(configuration.listenAddress == "::1")
    #expect(configuration.listenPort == 9000)
    #expect(configuration.defaultAgent == "b")
    let agent = try #require(configuration.agent(configID: "support"))
    #expect(agent.instructions == "Line one.\nLine two.\n")
    #expect(agent.greeting == "true")
    #expect(agent.llm == "ollama")
    #expect(agent.turn.silenceMilliseconds == 700)
    #expect(!agent.channel)
    #expect(
      agent.tools[0].parameters
        == ["type": "object", "properties": ["id": ["type": "integer", "minimum": 1]]])
    #expect(
      configuration.providers.map(\.source) == [
        .openAICompatible(
          url: "http://localhost:11434/v1", model: "qwen2.5:3b", keyEnvironment: "KEY"),
        .worker(command: "/opt/voice-stt", threads: 2),
      ])
    #expect(configuration.effectiveProviders.count == 6)
    #expect(configuration.limits.liveSessions == 5)
    #expect(configuration.limits.bodyBytes == 5 * 1024 * 1024)
  }

  @Test func providersElsewhereAreRead() throws {
    let configuration = try read(
      """
      apps: [{key: k, secret: s}]
      providers:
        ears: {role: stt, url: "tcp://box:10300", model: tiny, language: en}
        mouth: {role: tts, url: "tcp://[::1]:10200/", voice: joe}
        cloud-ears: {role: stt, url: "https://api/v1", model: whisper-1, stream: true}
        talker: {role: sts, url: "https://api/v1", model: gpt-realtime, voice: marin}
        cloud-mouth: {role: tts, url: "http://api/v1", model: tts-1, voice: nova, rate: 22050}
      routes: {stt-fast: [ears, cloud-ears]}
      agents: [{name: a, stt: stt-fast, tts: mouth, sts: talker}]
      """)
    let providers = configuration.providers
    #expect(
      providers.map(\.source) == [
        .wyoming(host: "box", port: 10_300, model: "tiny"),
        .wyoming(host: "::1", port: 10_200, model: nil),
        .openAICompatible(url: "https://api/v1", model: "whisper-1", keyEnvironment: nil),
        .openAICompatible(url: "https://api/v1", model: "gpt-realtime", keyEnvironment: nil),
        .openAICompatible(url: "http://api/v1", model: "tts-1", keyEnvironment: nil),
      ])
    #expect(providers.map(\.language) == ["en", nil, nil, nil, nil])
    #expect(providers.map(\.streams) == [false, false, true, false, false])
    #expect(providers.map(\.voice) == [nil, "joe", nil, "marin", "nova"])
    #expect(providers.map(\.rate) == [nil, nil, nil, nil, 22_050])
    #expect(configuration.agents[0].stt == "stt-fast")
    #expect(configuration.agents[0].sts == "talker")
  }

  @Test func jsonIsYAMLToo() throws {
    let text = #"{"apps":[{"key":"k","secret":"s"}],"agents":[{"name":"a"}]}"#
    #expect(try read(text).defaultAgent == "a")
  }

  @Test(arguments: [
    ("", 1, 1, "", "empty"),
    ("apps: [\n", 2, 1, "", "not valid YAML"),
    ("a: b\n\tc: d", 2, 1, "", "not valid YAML"),
    ("- x\n", 1, 1, "", "mapping"),
    (apps + agents + "listn: 1\n", 3, 1, "listn", "unknown key"),
    (apps + "agents:\n  - name: a\n    voise: x\n", 4, 5, "agents[0].voise", "unknown key"),
    (apps + "agents:\n  - instructions: x\n", 3, 5, "agents[0].name", "missing"),
    (apps + "agents: [{name: a}, {name: a}]\n", 2, 28, "agents[1].name", "another agent"),
    (apps + "agents: [{name: a b}]\n", 2, 17, "agents[0].name", "letters"),
    (
      apps + "agents: [{name: a, turn: {silence_ms: 5}}]\n", 2, 39,
      "agents[0].turn.silence_ms", "between 100 and 5000"
    ),
    (
      apps + "agents: [{name: a, turn: {silence_ms: \"500\"}}]\n", 2, 39,
      "agents[0].turn.silence_ms", "whole number"
    ),
    (apps + "agents: [{name: a, channel: maybe}]\n", 2, 29, "agents[0].channel", "true or false"),
    (apps + "agents: [{name: a, llm: gpt}]\n", 2, 25, "agents[0].llm", "there are local"),
    (apps + "agents: []\n", 2, 9, "agents", "at least one"),
    (apps + agents + "default_agent: b\n", 3, 16, "default_agent", "no agent b"),
    (agents, 1, 1, "apps", "at least one key"),
    ("apps: [{key: k}]\n" + agents, 1, 8, "apps[0].secret", "missing"),
    (
      "apps: [{key: k, secret: s}, {key: k, secret: t}]\n" + agents, 1, 35, "apps[1].key", "another"
    ),
    (apps + agents + "listen: 0.0.0.0:80\n", 3, 9, "listen", "insecure: true"),
    (apps + agents + "listen: somewhere\n", 3, 9, "listen", "not an address"),
    (apps + agents + "listen: 127.0.0.1:70000\n", 3, 9, "listen", "not an address"),
    (
      "auth: noauth\ninsecure: true\nlisten: 0.0.0.0:80\n" + agents, 3, 9, "listen",
      "127.0.0.1 only"
    ),
    ("auth: open\n" + apps + agents, 1, 7, "auth", "api_key, noauth"),
    (apps + agents + apps, 3, 1, "", "there twice, first in line 1"),
    (apps + "x: &a 1\n" + agents, 2, 4, "", "anchors"),
    (apps + "x: *a\n" + agents, 2, 4, "", "aliases"),
    (apps + agents + "---\na: b\n", 3, 1, "", "second document"),
    ("[", 1, 2, "", "not valid YAML"),
    (apps + agents + "providers: {x: {role: llm}}\n", 3, 16, "providers.x.worker", "either"),
    (
      apps + agents + "providers: {x: {role: llm, url: \"ftp://x\", model: m}}\n", 3, 33,
      "providers.x.url", "http://"
    ),
    (apps + agents + "providers: {x: {role: ear}}\n", 3, 23, "providers.x.role", "stt, llm, tts"),
    (
      apps + agents + "providers: {x: {role: llm, url: \"tcp://box:1\"}}\n", 3, 33,
      "providers.x.url", "only a recogniser or a voice"
    ),
    (
      apps + agents + "providers: {x: {role: stt, url: \"tcp://box\"}}\n", 3, 33,
      "providers.x.url", "tcp://HOST:PORT"
    ),
    (
      apps + agents + "providers: {x: {role: tts, url: \"http://x\", model: m, rate: 5}}\n", 3, 61,
      "providers.x.rate", "between 8000 and 192000"
    ),
    (
      apps + agents + "providers: {x: {role: stt, url: \"http://x\"}}\n", 3, 16,
      "providers.x.model", "missing"
    ),
    (
      apps + agents + "providers: {x: {role: llm, worker: w, language: en}}\n", 3, 39,
      "providers.x.language", "unknown key"
    ),
  ])
  func aMistakeNamesFileLineColumnAndKey(
    _ text: String, _ line: Int, _ column: Int, _ key: String, _ word: String
  ) {
    let error = #expect(throws: ConfigurationError.self) { try read(text) }
    #expect(error?.file == "router.yaml")
    #expect(error?.line == line, "\(text)")
    #expect(error?.column == column, "\(text)")
    #expect(error?.key == key)
    #expect(error?.message.contains(word) == true, "\(error.map { "\($0)" } ?? "")")
    #expect(error?.description.hasPrefix("router.yaml:\(line):\(column): ") == true)
  }

  @Test func levelsInsideEachOtherAreBounded() {
    let text = "x: " + String(repeating: "[", count: 100_000)
    #expect(throws: ConfigurationError.self) { try read(text) }
  }

  @Test func theFirstConfigurationHasAKeyPairOfItsOwnAndIsReadableByItsOwnerOnly() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = folder.appending(path: "a/router.yaml")
    let second = folder.appending(path: "b/router.yaml")
    try RouterConfiguration.createDefault(at: first)
    try RouterConfiguration.createDefault(at: second)
    let configuration = try RouterConfiguration.load(from: first)
    #expect(configuration.defaultAgent == "assistant")
    #expect(configuration.listenAddress == "127.0.0.1")
    #expect(configuration.apps.count == 1)
    #expect(configuration.apps[0].secret.count == 64)
    #expect(try RouterConfiguration.load(from: second).apps != configuration.apps)
    let attributes = try FileManager.default.attributesOfItem(atPath: first.path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/a").count == 1)

    #expect(throws: ConfigurationError.self) { try RouterConfiguration.createDefault(at: first) }
    #expect(try RouterConfiguration.loadOrCreate(at: first) == configuration)
  }

  @Test func aFileThatIsMissingIsNamed() {
    let error = #expect(throws: ConfigurationError.self) {
      try RouterConfiguration.load(from: URL(filePath: "/nonexistent/router.yaml"))
    }
    #expect(error?.description.hasPrefix("/nonexistent/router.yaml: ") == true)
  }
}
