import Foundation
import SessionsModel
import VisionAgentsCore

/// Does what `voice sessions` was asked for.
struct SessionsDesk {
  /// What the router gives at most at a time.
  private static let pageLimit = 200

  let agents: VisionAgents
  let asJSON: Bool

  func list(_ query: SessionQuery, agent: String?) async throws {
    let wanted = query.limit ?? 25
    let source = agent.map { agents.agent($0).sessions } ?? agents.sessions
    var found: [Session] = []
    var page = query
    repeat {
      page.limit = min(Self.pageLimit, wanted - found.count)
      let answer = try await source.query(page)
      found += answer.items
      page.cursor = answer.nextCursor
    } while page.cursor != nil && found.count < wanted
    guard !asJSON else {
      for session in found { StandardOutput.line(session.json.serializedText) }
      return
    }
    guard !found.isEmpty else { return StandardOutput.line("No session.") }
    StandardOutput.line(SessionsTable.text(found, width: TerminalWidth.ofTerminal))
    if page.cursor != nil {
      StandardOutput.line("There are more; --limit N shows them.")
    }
  }

  func show(_ id: String) async throws {
    let session = try await agents.sessions.get(id)
    let transcript = try await SessionTranscript.read(session, agents: agents)
    guard !asJSON else { return StandardOutput.line(transcript.json.serializedText) }
    StandardOutput.line(SessionsTable.details(session))
    StandardOutput.line("")
    StandardOutput.write(transcript.conversation(width: TerminalWidth.current))
  }

  func export(_ id: String, format: ExportFormat, to path: String?) async throws {
    let session = try await agents.sessions.get(id)
    let transcript = try await SessionTranscript.read(session, agents: agents)
    let text: String =
      switch format {
      case .markdown: transcript.markdown
      case .json: transcript.json.serializedText + "\n"
      }
    guard let path else { return StandardOutput.write(text) }
    do {
      try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw FileFault("\(path) cannot be written: \(error.localizedDescription)")
    }
  }

  func close(_ id: String) async throws {
    try await agents.close(sessionID: id)
    say(id, "closed", "The session \(id) has ended and is kept.")
  }

  func delete(_ id: String) async throws {
    try await agents.sessions.delete(id)
    say(id, "deleted", "The session \(id) and everything kept of it are gone.")
  }

  private func say(_ id: String, _ event: String, _ sentence: String) {
    guard asJSON else { return StandardOutput.line(sentence) }
    let line: JSONValue = ["event": .string(event), "id": .string(id)]
    StandardOutput.line(line.serializedText)
  }
}

/// How a session is written down.
enum ExportFormat: String {
  case markdown, json
}
