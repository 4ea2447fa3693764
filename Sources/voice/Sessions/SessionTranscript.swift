import Foundation
import SessionsModel
import VisionAgentsCore

/// A session with its turns and what happened in them, for people and for programs.
struct SessionTranscript {
  struct Turn {
    var response: Response
    var items: [ResponseItem]

    /// What the agent answered; empty where it did not.
    var answer: String {
      items.filter { $0.kind == .answer }.map(\.text).filter { !$0.isEmpty }
        .joined(separator: "\n\n")
    }

    var tools: [String] {
      items.filter { $0.kind == .toolCall }.map { item in
        let arguments = item.payload.map(\.serializedText) ?? item.text
        return "\(item.toolName) \(arguments)"
      }
    }
  }

  let session: Session
  let turns: [Turn]

  static func read(_ session: Session, agents: VisionAgents) async throws -> SessionTranscript {
    let responses = agents.sessions.responses(session.id)
    var turns: [Response] = []
    var cursor: String?
    repeat {
      let page = try await responses.list(limit: 200, cursor: cursor)
      turns += page.items
      cursor = page.nextCursor
    } while cursor != nil
    let items = Dictionary(grouping: try await responses.items.all(), by: \.responseID)
    return SessionTranscript(
      session: session,
      turns: turns.map { Turn(response: $0, items: items[$0.id] ?? []) })
  }

  var json: JSONValue {
    var json = session.json
    json["turns"] = .array(
      turns.map { turn in
        var fields: JSONValue = [
          "id": .string(turn.response.id), "status": .string(turn.response.status.rawValue),
          "said": .string(turn.response.said), "answer": .string(turn.answer),
          "created_at": .string(RFC3339.string(from: turn.response.createdAt)),
        ]
        if let error = turn.response.error { fields["error"] = .string(error) }
        if !turn.tools.isEmpty { fields["tools"] = .array(turn.tools.map { .string($0) }) }
        return fields
      })
    return json
  }

  /// The conversation as lines of a terminal.
  func conversation(width: Int) -> String {
    guard !turns.isEmpty else { return "Nothing was said.\n" }
    return turns.map { turn in
      let said = turn.response.said
      let mark = turn.response.status == .completed ? "" : " (\(turn.response.status.rawValue))"
      return ([("you", said), ("agent", turn.answer + mark)] + turn.tools.map { ("tool", $0) })
        .filter { !$0.1.isEmpty }
        .map { who, text in
          let lines = text.split(separator: "\n", omittingEmptySubsequences: false).flatMap {
            TerminalWidth.lines(of: String($0), width: width - 7)
          }
          return who.padding(to: 7) + lines.joined(separator: "\n       ")
        }.joined(separator: "\n")
    }.joined(separator: "\n\n") + "\n"
  }

  var markdown: String {
    let title = session.title.isEmpty ? "Session \(session.id)" : session.title
    var text = "# \(Self.line(title))\n\n"
    if !session.description.isEmpty { text += "\(Self.line(session.description))\n\n" }
    for (name, value) in SessionsTable.fields(of: session) {
      text += "- \(name): \(Self.line(value))\n"
    }
    for turn in turns {
      text += "\n## \(RFC3339.string(from: turn.response.createdAt))\n\n"
      if !turn.response.said.isEmpty { text += "**You:** \(turn.response.said)\n\n" }
      for tool in turn.tools { text += "`\(tool.replacing("`", with: "'"))`\n\n" }
      if !turn.answer.isEmpty { text += "**Agent:** \(turn.answer)\n" }
      if turn.response.status != .completed {
        text +=
          "\n*\(turn.response.status.rawValue)\(turn.response.error.map { ": \($0)" } ?? "")*\n"
      }
    }
    return text
  }

  /// A heading or a list's entry ends with its line.
  private static func line(_ text: String) -> String {
    text.split(whereSeparator: \.isNewline).joined(separator: " ")
  }
}
