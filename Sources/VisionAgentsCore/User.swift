/// Gives a token for the user, asked of your backend; called again whenever one has expired.
public typealias TokenProvider = @Sendable () async throws -> String

/// The person (or the device) a session belongs to.
public struct User: Sendable, Hashable {
  public let id: String
  public let name: String
  /// URL of a picture; empty for none.
  public let image: String

  public init(id: String, name: String = "", image: String = "") {
    self.id = id
    self.name = name
    self.image = image
  }
}
