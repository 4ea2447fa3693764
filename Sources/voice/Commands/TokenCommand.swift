import AgentRouter
import Foundation
import SessionsModel

/// `voice token`: a token for a user's device, signed with the router's secret.
enum TokenCommand: Command {
  static let name = "token"
  static let summary = "Print a token for a user's device."
  static let options = [
    Arguments.Option("--user", value: "ID", "whose device it is"),
    Arguments.Option("--hours", value: "N", "how long it holds (24)"),
    Arguments.Option("--config", value: "FILE", "the router's configuration"),
  ]

  static func run(_ raw: [String]) async throws -> Int32 {
    let arguments = try Arguments(raw, options: options, command: name)
    guard let user = arguments["--user"], !user.isEmpty else {
      throw UsageError("voice token: --user ID is needed: whose device the token is for.")
    }
    let hours = try arguments.integer("--hours", in: 1...8_760) ?? 24
    let file = arguments["--config"].map { URL(filePath: $0) } ?? Places().routerConfiguration
    let app = try RouterKeys.first(in: file)
    StandardOutput.line(DeviceToken.mint(user: user, secret: app.secret, hours: hours))
    return 0
  }
}
