import SessionsModel

/// Somebody on a call: this device, the agent, or another listener.
public struct CallParticipant: Sendable, Identifiable, Hashable {
  public let id: String
  public let userID: String
  public let name: String
  /// For the agent: this device's speaker plays it right now.
  public internal(set) var isSpeaking = false
  /// 0 (-60 dBFS or less) to 1 (0 dBFS).
  public internal(set) var audioLevel: Float = 0
  public internal(set) var isMuted = false

  init(id: String, userID: String, name: String) {
    self.id = id
    self.userID = userID
    self.name = name
  }

  init?(_ json: JSONValue) {
    guard let id = json["id"]?.stringValue else { return nil }
    self.id = id
    userID = json["user_id"]?.stringValue ?? ""
    name = json["name"]?.stringValue ?? ""
    isMuted = json["is_muted"]?.boolValue ?? false
  }
}
