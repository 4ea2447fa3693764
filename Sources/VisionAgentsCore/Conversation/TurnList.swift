import Foundation
import SessionsModel

/// The turns of a session as its events tell them, oldest first.
struct TurnList: Sendable {
  /// Turns kept; older ones are read with `responses.list`.
  static let bound = 1000

  private(set) var turns: [Response] = []
  private let sessionID: String
  /// While a device is on the call a reply is over when it was heard, not when it was written.
  private var devices: Set<String> = []

  init(sessionID: String) {
    self.sessionID = sessionID
  }

  /// Takes the turns read from the router, after events were missed or for a session resumed.
  mutating func replace(with turns: [Response]) {
    self.turns = Array(turns.suffix(Self.bound))
  }

  /// Takes a snapshot that starts anew: who is on the call now.
  mutating func restart(_ frame: Frame) {
    devices = Set((frame["participants"]?.arrayValue ?? []).compactMap(\.stringValue))
  }

  /// Takes in one event; returns whether a turn changed.
  mutating func apply(_ frame: Frame, at time: Date) -> Bool {
    switch frame.type {
    case .participantJoined: devices.insert(Self.participant(frame))
    case .participantLeft: devices.remove(Self.participant(frame))
    case .responding: return begin(frame, at: time)
    case .responded:
      guard frame["pending_work"]?.boolValue != true, devices.isEmpty else { return false }
      return finish(frame, .completed, at: time)
    case .heardOut: return finish(frame, .completed, at: time)
    case .interrupted: return finish(frame, .cancelled, at: time)
    case .rewound: return forget(behind: frame["response_id"]?.stringValue ?? "")
    case .error: return finish(frame, .failed, error: frame["error"]?.stringValue, at: time)
    default: break
    }
    return false
  }

  /// A turn this client asked for itself, before its first event.
  mutating func add(_ response: Response) {
    guard !turns.contains(where: { $0.id == response.id }) else { return }
    turns.append(response)
    if turns.count > Self.bound { turns.removeFirst() }
  }

  private mutating func begin(_ frame: Frame, at time: Date) -> Bool {
    guard let id = frame.turnID, !turns.contains(where: { $0.id == id }) else { return false }
    var body = AgentResponse(id: id, sessionID: sessionID, status: .running, createdAt: time)
    body.requestID = frame.requestID
    body.said = frame["prompt"]?.stringValue
    add(Response(body))
    return true
  }

  private mutating func forget(behind id: String) -> Bool {
    guard let index = turns.lastIndex(where: { $0.id == id }), index + 1 < turns.count else {
      return false
    }
    turns.removeSubrange((index + 1)...)
    return true
  }

  private mutating func finish(
    _ frame: Frame, _ status: Response.Status, error: String? = nil, at time: Date
  ) -> Bool {
    guard
      let id = frame.turnID,
      let index = turns.lastIndex(where: { $0.id == id && $0.status == .running })
    else { return false }
    turns[index].status = status
    turns[index].finishedAt = time
    turns[index].error = error
    return true
  }

  private static func participant(_ frame: Frame) -> String {
    frame["participant"]?["id"]?.stringValue ?? ""
  }
}
