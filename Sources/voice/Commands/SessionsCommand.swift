import Foundation
import Networking
import SessionsModel
import VisionAgentsCore

/// `voice sessions`: a router's sessions on the backend's key.
enum SessionsCommand: Command {
  static let name = "sessions"
  static let summary = "List, show, search, export, close or delete the sessions of a router."
  static let words = "list | show ID | search WORDS | export ID | close ID | delete ID"
  static let options =
    [
      Arguments.Option("--agent", value: "NAME", "list, search: only this agent's"),
      Arguments.Option("--user", value: "ID", "list, search: only this user's"),
      Arguments.Option("--project", value: "ID", "list: only this project's"),
      Arguments.Option("--state", value: "STATE", "list, search: live or ended"),
      Arguments.Option("--limit", value: "N", "list, search: how many (25)"),
      Arguments.Option("--format", value: "FORMAT", "export: markdown (usual) or json"),
      Arguments.Option("--out", value: "FILE", "export: a file instead of standard output"),
      Arguments.Option("--json", "print JSON instead of tables"),
    ] + LocalRouter.options

  private static let maximumWords = 12

  static func run(_ raw: [String]) async throws -> Int32 {
    let arguments = try Arguments(
      raw, options: options, command: name, words: maximumWords)
    guard let verb = arguments.words.first else {
      throw UsageError("voice sessions: say what to do: \(words).")
    }
    let router = try LocalRouter(arguments, command: name)
    let desk = SessionsDesk(
      agents: router.backend(runtime: LoopRuntime()), asJSON: arguments.has("--json"))
    let rest = Array(arguments.words.dropFirst())
    do {
      switch verb {
      case "list": try await desk.list(try query(arguments), agent: arguments["--agent"])
      case "search":
        guard !rest.isEmpty else { throw UsageError("voice sessions search: which words?") }
        var query = try query(arguments)
        query.text = rest.joined(separator: " ")
        try await desk.list(query, agent: arguments["--agent"])
      case "show": try await desk.show(try id(verb, rest))
      case "export":
        try await desk.export(
          try id(verb, rest), format: try format(arguments), to: arguments["--out"])
      case "close": try await desk.close(try id(verb, rest))
      case "delete": try await desk.delete(try id(verb, rest))
      default: throw UsageError("voice sessions: unknown \"\(verb)\"; say \(words).")
      }
    } catch let error as AgentsError {
      throw FileFault(sentence(of: error, router: router))
    }
    return 0
  }

  private static func sentence(of error: AgentsError, router: LocalRouter) -> String {
    if case .transport = error {
      return "\(error) Is the router at \(router.url.absoluteString) running? "
        + "`voice router` starts it."
    }
    return "\(error)"
  }

  private static func id(_ verb: String, _ words: [String]) throws(UsageError) -> String {
    guard words.count == 1, let id = words.first else {
      throw UsageError("voice sessions \(verb): give the id of one session.")
    }
    guard Identifier.isValidSessionID(id) else {
      throw UsageError(
        "voice sessions \(verb): \"\(id)\" is no id: 1 to 64 letters, digits, - and _.")
    }
    return id
  }

  private static func format(_ arguments: Arguments) throws(UsageError) -> ExportFormat {
    guard let text = arguments["--format"] else {
      return arguments.has("--json") ? .json : .markdown
    }
    guard let format = ExportFormat(rawValue: text) else {
      throw UsageError("--format wants markdown or json, but got \"\(text)\".")
    }
    return format
  }

  private static func query(_ arguments: Arguments) throws(UsageError) -> SessionQuery {
    var query = SessionQuery(limit: try arguments.integer("--limit", in: 1...100_000))
    query.userID = arguments["--user"]
    query.projectID = arguments["--project"]
    if let text = arguments["--state"] {
      guard let state = SessionState(rawValue: text) else {
        throw UsageError("--state wants live or ended, but got \"\(text)\".")
      }
      query.state = state
    }
    return query
  }
}
