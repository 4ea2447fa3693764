import AgentRouter
import Foundation

/// What a command line changes of a router's configuration.
struct RouterSettings {
  var configurationFile: URL
  var listen: (host: String, port: Int)?
  var model: ProviderConfiguration?
  var soundPathOnly: Bool
  /// Whether the agent of `voice run`'s tool question is wanted beside those of the file.
  var withDemonstration: Bool

  /// - Throws: ``UsageError`` naming the option that cannot be used.
  init(_ arguments: Arguments) throws(UsageError) {
    configurationFile =
      arguments["--config"].map { URL(filePath: $0) } ?? Places().routerConfiguration
    soundPathOnly = arguments.has("--sound-path-only")
    withDemonstration = arguments.has("--demonstration")
    if let text = arguments["--listen"] { listen = try Self.address(text) }
    if let url = arguments["--model-url"] {
      guard let model = arguments["--model"] else {
        throw UsageError("--model-url needs --model NAME: the model's name at \(url).")
      }
      self.model = ProviderConfiguration(
        name: "command-line", role: .llm,
        source: .openAICompatible(
          url: url, model: model, keyEnvironment: arguments["--model-key-env"]))
    } else if arguments["--model"] != nil {
      throw UsageError("--model needs --model-url URL: where the model is.")
    }
  }

  /// `host:port` or `[v6]:port`.
  private static func address(_ text: String) throws(UsageError) -> (host: String, port: Int) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { throw UsageError("--listen wants HOST:PORT, but got \"\(text)\".") }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
    guard !host.isEmpty else {
      throw UsageError("--listen wants HOST:PORT, but got \"\(text)\".")
    }
    return (String(host), Int(port))
  }
}
