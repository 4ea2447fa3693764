import SessionsModel

/// Somebody in a conversation.
public struct Participant: Sendable, Hashable, Identifiable {
  public let id: String
  public let userID: String
  public let name: String

  init?(_ json: JSONValue) {
    guard let id = json["id"]?.stringValue else { return nil }
    self.id = id
    userID = json["user_id"]?.stringValue ?? ""
    name = json["name"]?.stringValue ?? ""
  }
}
