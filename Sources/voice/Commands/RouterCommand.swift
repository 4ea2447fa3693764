import Foundation
import Glibc
import Networking

/// `voice router`: the self-hosted server alone.
enum RouterCommand: Command {
  static let name = "router"
  static let summary = "Run the router: sessions, turns, models."
  static let options = [
    Arguments.Option("--config", value: "FILE", "router.yaml; written when there is none"),
    Arguments.Option(
      "--listen", value: "HOST:PORT", "instead of the configuration's (port 0: any)"),
    Arguments.Option("--model-url", value: "URL", "an OpenAI-compatible model instead of ours"),
    Arguments.Option("--model", value: "NAME", "its name there"),
    Arguments.Option("--model-key-env", value: "VAR", "environment variable with its key"),
    Arguments.Option("--sound-path-only", "answer every turn with a fixed line; needs no model"),
    Arguments.Option(
      "--demonstration", "add the agent that answers `voice run`'s question through a tool"),
    Arguments.Option("--announce", "print a JSON line with the URL; end when standard input does"),
  ]

  static func run(_ raw: [String]) async throws -> Int32 {
    let arguments = try Arguments(raw, options: options, command: name)
    let settings = try RouterSettings(arguments)
    let server = try await RouterServer.start(settings, places: Places())
    let interruption = Interruption()
    let signal = ReloadSignal(
      reload: { Task { await server.reload() } }, terminalClosed: { interruption.ask() })
    defer { withExtendedLifetime(signal) {} }
    announce(server, asJSON: arguments.has("--announce"))
    if arguments.has("--announce") {
      await interruption.waitForEndOfInput()
      StandardOutput.line(
        #"{"event":"ending","worker_restarts":\#(await server.workerRestarts)}"#)
    } else {
      await interruption.wait()
    }
    await server.stop()
    return 0
  }

  private static func announce(_ server: RouterServer, asJSON: Bool) {
    let fingerprint = server.fingerprint.map(\.description)
    if asJSON {
      let shown = fingerprint.map { #","fingerprint":"\#($0)""# } ?? ""
      StandardOutput.line(#"{"event":"ready","url":"\#(server.url)"\#(shown)}"#)
    } else {
      StandardOutput.line(
        "The router listens on \(server.url); its keys stand in "
          + "\(server.source.settings.configurationFile.path).")
      if let fingerprint { StandardOutput.line("Its certificate is \(fingerprint).") }
    }
  }
}
