extension ProviderConfiguration {
  /// Reads one entry of `providers`.
  init(name: String, _ section: inout ConfigurationSection) throws(ConfigurationError) {
    guard let role = try section.word("role", as: Role.self) else {
      throw section.mistake("role", section.mark, "is missing; it is stt, llm, tts, turn or sts")
    }
    self.name = name
    self.role = role
    source = try Self.source(role, &section)
    if role == .stt {
      language = try section.string("language")
      streams = try section.bool("stream") ?? false
    }
    if role == .tts || role == .sts { voice = try section.string("voice") }
    if role == .tts { rate = try section.int("rate", in: 8_000...192_000) }
    try section.refuseUnknownKeys()
  }

  private static func source(
    _ role: Role, _ section: inout ConfigurationSection
  ) throws(ConfigurationError) -> Source {
    let worker = try section.string("worker")
    let threads = try section.int("threads", in: 1...256)
    let url = try section.string("url")
    let model = try section.string("model")
    let keyEnvironment = try section.string("key_env")
    switch (worker, url) {
    case (let worker?, nil):
      guard role != .sts else {
        throw section.mistake(
          "worker", section.markOf("worker"), "a speech-to-speech model is named by a url")
      }
      return .worker(command: worker, threads: threads)
    case (nil, let url?):
      guard role != .turn else {
        throw section.mistake("url", section.markOf("url"), "the judge of turns is a worker")
      }
      if url.hasPrefix("tcp://") { return try wyoming(url, role, model, &section) }
      guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
        throw section.mistake(
          "url", section.markOf("url"),
          "\(url) begins with none of http://, https:// and (of a Wyoming server) tcp://")
      }
      guard let model else { throw section.mistake("model", section.mark, "is missing") }
      return .openAICompatible(url: url, model: model, keyEnvironment: keyEnvironment)
    default:
      throw section.mistake("worker", section.mark, "name either a worker or a url")
    }
  }

  private static func wyoming(
    _ url: String, _ role: Role, _ model: String?, _ section: inout ConfigurationSection
  ) throws(ConfigurationError) -> Source {
    guard role == .stt || role == .tts else {
      throw section.mistake(
        "url", section.markOf("url"), "only a recogniser or a voice speaks the Wyoming protocol")
    }
    var rest = url.dropFirst("tcp://".count)
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    guard let colon = rest.lastIndex(of: ":"), let port = UInt16(rest[rest.index(after: colon)...]),
      port > 0
    else {
      throw section.mistake(
        "url", section.markOf("url"), "\(url) is not of the form tcp://HOST:PORT")
    }
    var host = rest[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.isEmpty else {
      throw section.mistake(
        "url", section.markOf("url"), "\(url) is not of the form tcp://HOST:PORT")
    }
    return .wyoming(host: String(host), port: Int(port), model: model)
  }
}
