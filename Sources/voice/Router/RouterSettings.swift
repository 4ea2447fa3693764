import AgentRouter
import Foundation

/// What a command line changes of a router's configuration.
struct RouterSettings {
  var configurationFile: URL
  var listen: (host: String, port: Int)?
  var model: ProviderConfiguration?
  var soundPathOnly: Bool

  /// - Throws: ``UsageError`` naming the option that cannot be used.
  init(_ arguments: Arguments) throws(UsageError) {
    configurationFile =
      arguments["--config"].map { URL(filePath: $0) } ?? Places().routerConfiguration
    soundPathOnly = arguments.has("--sound-path-only")
    if let text = arguments["--listen"] {
      guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
        (0...65_535).contains(port), colon > text.startIndex
      else { throw UsageError("--listen wants HOST:PORT, but got \"\(text)\".") }
      listen = (String(text[..<colon]), port)
    }
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
}
