public import Foundation
public import SessionsModel

/// What models cost within an hour, by who caused it; it outlives the session (contract part 2,
/// "delete": cost totals by tag stay).
public struct UsageEntry: Sendable, Hashable {
  /// Entries of one of these are added up, in seconds.
  public static let period = 3600

  public var app: String
  /// Start of the hour.
  public var hour: Date
  /// Empty for a backend on its own account.
  public var userID: String
  public var agent: String
  public var tags: [String: String]
  public var usage: SessionUsage
  /// Questions that a user asked.
  public var messages: Int

  public init(
    app: String, at time: Date, userID: String, agent: String, tags: [String: String],
    usage: SessionUsage, messages: Int = 0
  ) {
    self.app = app
    let seconds = Int(time.timeIntervalSince1970.rounded(.down))
    hour = Date(timeIntervalSince1970: Double(seconds - seconds % Self.period))
    self.userID = userID
    self.agent = agent
    self.tags = tags
    self.usage = usage
    self.messages = messages
  }
}

/// Which costs are asked for, and by what they are added up.
public struct UsageSelection: Sendable, Hashable {
  public enum Grouping: Sendable, Hashable {
    case user, agent
    case tag(String)
    /// One total.
    case all
  }

  public var app: String
  public var grouping: Grouping
  public var userID: String?
  /// Whole hours from the one this lies in.
  public var since: Date?
  /// Up to the hour that begins here.
  public var until: Date?
  public var limit: Int

  public init(app: String, grouping: Grouping, limit: Int = .max) {
    self.app = app
    self.grouping = grouping
    self.limit = limit
  }
}

/// One sum of costs.
public struct UsageTotal: Sendable, Hashable {
  /// The user, the agent or the tag's value; empty for those without the tag and for one total.
  public var key: String
  public var usage: SessionUsage
  public var messages: Int

  public init(key: String, usage: SessionUsage, messages: Int) {
    self.key = key
    self.usage = usage
    self.messages = messages
  }
}
