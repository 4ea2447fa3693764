import Foundation
import Networking
import SessionsModel
import Stores

extension Router {
  private static let totalsAtMost = 1_000

  /// Costs by user, agent, project or any tag (R31), in whole hours; the dearest first.
  func usage(_ call: APICall) async throws(APIError) -> HTTPResponse {
    try call.requireBackend()
    let grouping = call.request.queryValue("group_by") ?? ""
    var selection = UsageSelection(
      app: call.caller.app, grouping: try Self.grouping(grouping), limit: try Self.limit(call) + 1)
    selection.since = try Self.date("since", call)
    selection.until = try Self.date("until", call)
    if let user = call.request.queryValue("for_user"), !user.isEmpty { selection.userID = user }
    let totals: [UsageTotal]
    do throws(StoreError) {
      totals = try await environment.store.usage(selection)
    } catch {
      throw APIError(error)
    }
    let shown = totals.prefix(selection.limit - 1)
    return HTTPResponse(
      json: [
        "group_by": .string(grouping), "has_more": .bool(shown.count < totals.count),
        "items": .array(
          shown.map { total in
            var item = total.usage.json
            item["key"] = .string(total.key)
            item["messages"] = .int(total.messages)
            return item
          }),
      ])
  }

  private static func grouping(_ text: String) throws(APIError) -> UsageSelection.Grouping {
    switch text {
    case "": return .all
    case "user": return .user
    case "agent": return .agent
    case "project": return .tag("project")
    case _ where text.hasPrefix("tag:") && text.count > 4: return .tag(String(text.dropFirst(4)))
    default:
      throw APIError(
        .invalidField,
        "The query group_by must be user, agent, project or tag:NAME, not \(text.prefix(80)).")
    }
  }

  private static func date(_ name: String, _ call: APICall) throws(APIError) -> Date? {
    guard let text = call.request.queryValue(name), !text.isEmpty else { return nil }
    guard let date = RFC3339.date(from: text) else {
      throw APIError(
        .invalidField,
        "The query \(name) must be an RFC 3339 timestamp, not \(text.prefix(80)).")
    }
    return date
  }

  private static func limit(_ call: APICall) throws(APIError) -> Int {
    guard let text = call.request.queryValue("limit") else { return totalsAtMost }
    guard let limit = Int(text), (1...totalsAtMost).contains(limit) else {
      throw APIError(.limitOutOfRange, "The limit '\(text)' is not between 1 and \(totalsAtMost).")
    }
    return limit
  }
}
