public import Foundation
import SessionsModel

extension RouterConfiguration {
  /// Reads a configuration file.
  ///
  /// - Throws: ``ConfigurationError`` with file, line, column and key of the first mistake.
  public static func load(from file: URL) throws(ConfigurationError) -> RouterConfiguration {
    let data: Data
    do {
      data = try Data(contentsOf: file)
    } catch {
      throw ConfigurationError(
        file: file.path, line: 0, column: 0, key: "",
        message: "the file cannot be read: \(error.localizedDescription)")
    }
    return try read(Array(data), file: file.path)
  }

  /// Reads the text of a configuration.
  ///
  /// - Parameter file: the name that errors carry.
  public static func read(
    _ bytes: [UInt8], file: String
  ) throws(ConfigurationError) -> RouterConfiguration {
    var top = try ConfigurationSection(
      YAMLReader.read(bytes, file: file), file: file, path: "")
    var configuration = RouterConfiguration(apps: [], agents: [], defaultAgent: "")
    try configuration.readListening(&top, file: file)
    try configuration.readApps(&top)
    try configuration.readProviders(&top)
    try configuration.readRoutes(&top)
    try configuration.readAgents(&top)
    if var limits = try top.section("limits") {
      try configuration.limits.read(&limits)
    }
    try top.refuseUnknownKeys()
    return configuration
  }

  private mutating func readListening(
    _ top: inout ConfigurationSection, file: String
  ) throws(ConfigurationError) {
    if var section = try top.section("tls") {
      let folder = file.lastIndex(of: "/").map { String(file[..<$0]) } ?? "."
      tls = try TLSConfiguration(&section, folder: folder)
    }
    authentication = try top.word("auth", as: AuthenticationMode.self) ?? .apiKey
    insecure = try top.bool("insecure") ?? false
    if let listen = try top.string("listen") {
      guard let (address, port) = Self.splitListen(listen) else {
        throw top.mistake(
          "listen", top.markOf("listen"), "\(listen) is not an address with a port")
      }
      listenAddress = address
      listenPort = port
    }
    guard !Self.isLoopback(listenAddress) else { return }
    if authentication == .noauth {
      throw top.mistake(
        "listen", top.markOf("listen"),
        "auth noauth believes everyone and is allowed on 127.0.0.1 only")
    }
    if !insecure, tls == nil {
      throw top.mistake(
        "listen", top.markOf("listen"),
        "\(listenAddress) can be reached from other boxes and there is no TLS; "
          + "keep 127.0.0.1, add a section tls, or say insecure: true")
    }
  }

  /// `host:port`, `[v6]:port`, or a port alone.
  private static func splitListen(_ text: String) -> (String, Int)? {
    guard let colon = text.lastIndex(of: ":") else {
      return UInt16(text).map { ("127.0.0.1", Int($0)) }
    }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.isEmpty, let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    return (String(host), Int(port))
  }

  private mutating func readApps(_ top: inout ConfigurationSection) throws(ConfigurationError) {
    for var section in try top.sections("apps") {
      let key = try section.requiredString("key")
      let secret = try section.requiredString("secret")
      if apps.contains(where: { $0.key == key }) {
        throw section.mistake("key", section.markOf("key"), "another app has the key \(key)")
      }
      try section.refuseUnknownKeys()
      apps.append(App(key: key, secret: secret))
    }
    if apps.isEmpty, authentication == .apiKey {
      throw top.mistake("apps", top.markOf("apps"), "at least one key with its secret is needed")
    }
  }

  private mutating func readProviders(
    _ top: inout ConfigurationSection
  ) throws(ConfigurationError) {
    guard var list = try top.section("providers") else { return }
    for (name, var section) in try list.namedSections() {
      providers.append(try ProviderConfiguration(name: name, &section))
    }
  }

  private mutating func readRoutes(_ top: inout ConfigurationSection) throws(ConfigurationError) {
    let names = effectiveProviders.map(\.name)
    for (route, targets) in try top.stringLists("routes").sorted(by: { $0.key < $1.key }) {
      for target in targets where !names.contains(target) {
        throw top.mistake(
          "routes.\(route)", top.markOf("routes"),
          "no provider is called \(target); there are \(Set(names).sorted().joined(separator: ", "))"
        )
      }
      routes[route] = targets
    }
  }

  private mutating func readAgents(_ top: inout ConfigurationSection) throws(ConfigurationError) {
    for var section in try top.sections("agents") {
      let agent = try AgentConfiguration(
        &section, providers: effectiveProviders, routes: routes)
      if agents.contains(where: { $0.name == agent.name }) {
        throw section.mistake(
          "name", section.markOf("name"), "another agent has the name \(agent.name)")
      }
      agents.append(agent)
    }
    guard let first = agents.first else {
      throw top.mistake("agents", top.markOf("agents"), "at least one agent is needed")
    }
    defaultAgent = try top.string("default_agent") ?? first.name
    if agent(named: defaultAgent) == nil {
      throw top.mistake(
        "default_agent", top.markOf("default_agent"), "there is no agent \(defaultAgent)")
    }
  }
}

extension RouterLimits {
  fileprivate mutating func read(
    _ section: inout ConfigurationSection
  ) throws(ConfigurationError) {
    liveSessions = try section.int("live_sessions", in: 1...100_000) ?? liveSessions
    connections = try section.int("connections", in: 16...100_000) ?? connections
    bodyBytes = try section.int("body_bytes", in: 1024...5_242_880) ?? bodyBytes
    messagesPerDay =
      try section.int("messages_per_day", in: 0...1_000_000_000) ?? messagesPerDay
    tokensPerDay =
      try section.int("tokens_per_day", in: 0...1_000_000_000_000) ?? tokensPerDay
    try section.refuseUnknownKeys()
  }
}

extension AgentConfiguration {
  fileprivate init(
    _ section: inout ConfigurationSection, providers: [ProviderConfiguration],
    routes: [String: [String]]
  ) throws(ConfigurationError) {
    self.init(
      name: try section.requiredString("name"),
      instructions: try section.string("instructions") ?? "",
      greeting: try section.string("greeting"))
    guard Identifier.isValidSessionID(name) else {
      throw section.mistake(
        "name", section.markOf("name"), "\(name) is not 1 to 64 letters, digits, - and _")
    }
    configID = try section.string("config_id")
    llm = try Self.provider("llm", .llm, &section, providers, routes)
    stt = try Self.provider("stt", .stt, &section, providers, routes)
    tts = try Self.provider("tts", .tts, &section, providers, routes)
    let native = try Self.provider("sts", .sts, &section, providers, routes)
    sts = native.isEmpty ? nil : native
    voice = try section.string("voice") ?? ""
    tags = try section.stringMap("tags")
    channel = try section.bool("channel") ?? true
    tools = try Self.tools(&section)
    skills = try Self.skills(&section, providers, routes)
    prices = try Self.prices(&section)
    toolChoice = try section.string("tool_choice")
    if var section = try section.section("turn") { turn = try TurnConfiguration(&section) }
    try section.refuseUnknownKeys()
  }

  private static func provider(
    _ key: String, _ role: ProviderConfiguration.Role, _ section: inout ConfigurationSection,
    _ providers: [ProviderConfiguration], _ routes: [String: [String]]
  ) throws(ConfigurationError) -> String {
    guard let name = try section.string(key) else { return "" }
    var names = providers.filter { $0.role == role }.map(\.name)
    names += routes.filter { names.contains($0.value.first ?? "") }.keys.sorted()
    guard names.contains(name) else {
      throw section.mistake(
        key, section.markOf(key),
        "no provider of that role is called \(name); there are \(names.joined(separator: ", "))")
    }
    return name
  }

  private static func tools(
    _ section: inout ConfigurationSection
  ) throws(ConfigurationError) -> [SessionTool] {
    var tools: [SessionTool] = []
    for var entry in try section.sections("tools") {
      let name = try entry.requiredString("name")
      guard Identifier.isValidSessionID(name) else {
        throw entry.mistake(
          "name", entry.markOf("name"), "\(name) is not 1 to 64 letters, digits, - and _")
      }
      let description = try entry.requiredString("description")
      let parameters = entry.json("parameters")
      try entry.refuseUnknownKeys()
      tools.append(SessionTool(name: name, description: description, parameters: parameters))
    }
    return tools
  }

  private static func skills(
    _ section: inout ConfigurationSection, _ providers: [ProviderConfiguration],
    _ routes: [String: [String]]
  ) throws(ConfigurationError) -> [SkillConfiguration] {
    var skills: [SkillConfiguration] = []
    for var entry in try section.sections("skills") {
      var skill = SkillConfiguration(
        name: try entry.requiredString("name"),
        description: try entry.requiredString("description"),
        instructions: try entry.string("instructions") ?? "")
      guard Identifier.isValidSessionID(skill.name) else {
        throw entry.mistake(
          "name", entry.markOf("name"), "\(skill.name) is not 1 to 64 letters, digits, - and _")
      }
      skill.llm = try provider("llm", .llm, &entry, providers, routes)
      skill.timeoutMilliseconds =
        try entry.int("timeout_ms", in: 1000...3_600_000) ?? skill.timeoutMilliseconds
      try entry.refuseUnknownKeys()
      skills.append(skill)
    }
    return skills
  }

  private static func prices(
    _ section: inout ConfigurationSection
  ) throws(ConfigurationError) -> [String: ModelPrice] {
    guard var list = try section.section("prices") else { return [:] }
    var prices: [String: ModelPrice] = [:]
    for (name, var entry) in try list.namedSections() {
      guard let input = try entry.price("input"), let output = try entry.price("output") else {
        throw entry.mistake("input", entry.mark, "input and output are needed")
      }
      prices[name] = ModelPrice(
        input: input, cachedInput: try entry.price("cached_input"), output: output)
      try entry.refuseUnknownKeys()
    }
    return prices
  }
}
