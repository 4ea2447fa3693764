import Foundation
import SessionsModel
import VisionAgentsCore

/// Sessions as tables for people.
enum SessionsTable {
  /// Characters of a title in a list; with them the titles stand within 80 columns.
  private static let titleWidth = 34

  /// - Parameter width: of a line at most; nil where nothing is cut off, as for a pipe.
  static func text(_ sessions: [Session], width: Int?) -> String {
    let head = ["id", "state", "title", "last active", "agent", "user"]
    let rows = sessions.map { session in
      [
        session.id, session.state.rawValue, title(session, cut: width != nil),
        time(session.lastResponseAt ?? session.createdAt),
        session.agent.isEmpty ? session.agentID : session.agent, session.userID,
      ]
    }
    let widths = head.indices.map { column in
      ([head] + rows).map { $0[column].count }.max() ?? 0
    }
    return ([head] + rows).map { row in
      let line = zip(row, widths).enumerated().map { column, cell in
        column == head.count - 1 ? cell.0 : cell.0.padding(to: cell.1)
      }.joined(separator: "  ")
      return width.map { TerminalWidth.clip(line, $0) } ?? line
    }.joined(separator: "\n")
  }

  private static func title(_ session: Session, cut: Bool) -> String {
    let title = session.title.split(whereSeparator: \.isNewline).joined(separator: " ")
    return cut ? TerminalWidth.clip(title, titleWidth) : title
  }

  static func details(_ session: Session) -> String {
    let all = [("id", session.id), ("title", session.title), ("about", session.description)]
    let shown = (all + fields(of: session).dropFirst()).filter { !$0.1.isEmpty }
    let width = shown.map(\.0.count).max() ?? 0
    return shown.map { "\($0.0.padding(to: width))  \($0.1)" }.joined(separator: "\n")
  }

  /// What is known of a session beside its labels, in words.
  static func fields(of session: Session) -> [(name: String, value: String)] {
    var fields = [
      ("id", session.id), ("state", session.state.rawValue),
      ("modality", session.modality.rawValue),
      ("agent", session.agent.isEmpty ? session.agentID : session.agent),
      ("user", session.userID), ("project", session.projectID),
      ("created", time(session.createdAt)),
      ("last answer", session.lastResponseAt.map(time) ?? ""),
      ("ended", session.closedAt.map(time) ?? ""), ("forked from", session.forkedFrom ?? ""),
      ("review", session.reviewScore.map { "\($0) of 5" } ?? ""),
      ("notes", session.reviewNotes ?? ""),
    ]
    if let usage = session.usage, usage.requests > 0 {
      fields.append(
        (
          "usage",
          "\(usage.requests) requests, \(usage.inputTokens) + \(usage.outputTokens) tokens, "
            + "\(Double(usage.costMicros) / 1_000_000) dollars"
        ))
    }
    return fields.filter { !$0.1.isEmpty }.map { (name: $0.0, value: $0.1) }
  }

  private static func time(_ date: Date) -> String {
    String(RFC3339.string(from: date).prefix(19)).replacing("T", with: " ")
  }
}

extension Session {
  /// The session as `--json` prints it: the wire's names.
  var json: JSONValue {
    var writer = FieldWriter()
    writer.set("id", id)
    writer.set("agent", agent)
    writer.set("agent_id", agentID)
    writer.set("user_id", userID)
    writer.set("state", state.rawValue)
    writer.set("modality", modality.rawValue)
    writer.set("title", title)
    writer.set("description", description)
    writer.set("project_id", projectID)
    writer.set("custom", .object(custom))
    writer.set("created_at", createdAt)
    writer.set("last_response_at", lastResponseAt)
    writer.set("closed_at", closedAt)
    writer.set("forked_from", forkedFrom)
    writer.set("review_score", reviewScore)
    writer.set("review_notes", reviewNotes)
    writer.set("usage", usage?.json)
    return writer.json
  }
}
