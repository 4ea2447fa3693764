public import Networking
public import SessionsModel

/// What a watcher wants to see: the query of the events socket.
public struct WatchOptions: Sendable, Hashable {
  /// Tools one watcher may declare.
  public static let toolLimit = 128

  /// Also captions that may still change (`interim`).
  public var interim = false
  /// Also why the agent did what it did (`decisions`).
  public var decisions = true
  /// Also messages of the transcript (`channel`).
  public var channel = false
  /// Tool calls that are still open, on attach (`replay_pending_tools`).
  public var replaysPendingTools = false
  /// Whether it speaks our additions to the public protocol (`v=2`).
  public var isVersion2 = false
  /// The number of the frame it saw last (`after`).
  public var after: UInt64?
  /// The stream that frame was of (`stream`).
  public var stream: String?
  /// Names of the tools this watcher runs itself (`tools`, separated by commas).
  public var tools: Set<String> = []

  public init() {}

  public init(query request: HTTPRequest) throws(APIError) {
    interim = try Self.flag("interim", request) ?? false
    decisions = try Self.flag("decisions", request) ?? true
    channel = try Self.flag("channel", request) ?? false
    replaysPendingTools = try Self.flag("replay_pending_tools", request) ?? false
    isVersion2 = request.queryValue("v") == "2"
    stream = request.queryValue("stream")
    tools = try Self.tools(request)
    if let text = request.queryValue("after"), !text.isEmpty {
      guard let number = UInt64(text) else {
        throw APIError(.invalidField, "The query after must be a number, not \(text).")
      }
      after = number
    }
  }

  private static func flag(_ name: String, _ request: HTTPRequest) throws(APIError) -> Bool? {
    switch request.queryValue(name) {
    case nil, "": return nil
    case "true", "1": return true
    case "false", "0": return false
    case .some(let text):
      throw APIError(.invalidField, "The query \(name) must be true or false, not \(text).")
    }
  }

  private static func tools(_ request: HTTPRequest) throws(APIError) -> Set<String> {
    let names = (request.queryValue("tools") ?? "").split(separator: ",").map(String.init)
    guard names.count <= toolLimit, names.allSatisfy(Identifier.isValidSessionID) else {
      throw APIError(
        .invalidField,
        "The query tools must be at most \(toolLimit) names of letters, digits, - and _.")
    }
    return Set(names)
  }

  /// Which watchers a frame is for.
  enum Audience: Sendable {
    case interim, decisions, channel, version2, everybody

    init(of frame: Frame) {
      self =
        switch frame.type {
        case .hearing: .interim
        case .decision: .decisions
        case .messageNew, .messageUpdated: .channel
        case .snapshot, .sessionState, .interruptIgnored, .sessionUpdated, .rewound: .version2
        default: .everybody
        }
    }
  }

  /// Whether a frame goes to a watcher with these options.
  public func wants(_ frame: Frame) -> Bool { isAmong(Audience(of: frame)) }

  func isAmong(_ audience: Audience) -> Bool {
    switch audience {
    case .interim: interim
    case .decisions: decisions
    case .channel: channel
    case .version2: isVersion2
    case .everybody: true
    }
  }
}
