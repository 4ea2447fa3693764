/// What a token says about its bearer (contract part 1, 1.1).
public struct TokenClaims: Sendable, Hashable {
  /// The user a device speaks for; absent from a backend's token.
  public var userID: String?
  /// Whether the bearer is a backend.
  public var server: Bool
  /// Role of the user, such as `guest`.
  public var role: String?
  /// Seconds since 1970.
  public var issuedAt: Int?
  /// Seconds since 1970.
  public var notBefore: Int?
  /// Seconds since 1970.
  public var expiresAt: Int?

  public init(
    userID: String? = nil, server: Bool = false, role: String? = nil, issuedAt: Int? = nil,
    notBefore: Int? = nil, expiresAt: Int? = nil
  ) {
    self.userID = userID
    self.server = server
    self.role = role
    self.issuedAt = issuedAt
    self.notBefore = notBefore
    self.expiresAt = expiresAt
  }

  var json: JSONValue {
    var fields: [String: JSONValue] = [:]
    if let userID { fields["user_id"] = .string(userID) }
    if server { fields["server"] = true }
    if let role { fields["role"] = .string(role) }
    if let issuedAt { fields["iat"] = .int(issuedAt) }
    if let notBefore { fields["nbf"] = .int(notBefore) }
    if let expiresAt { fields["exp"] = .int(expiresAt) }
    return .object(fields)
  }

  init(json: JSONValue) throws(TokenError) {
    guard case .object(let fields) = json else {
      throw .malformed("the claims are not an object")
    }
    userID = try Self.text("user_id", in: fields)
    role = try Self.text("role", in: fields)
    issuedAt = try Self.seconds("iat", in: fields)
    notBefore = try Self.seconds("nbf", in: fields)
    expiresAt = try Self.seconds("exp", in: fields)
    switch fields["server"] {
    case nil, .null: server = false
    case .bool(let value): server = value
    default: throw .malformed("the claim server is neither true nor false")
    }
  }

  private static func text(
    _ name: String, in fields: [String: JSONValue]
  ) throws(TokenError) -> String? {
    switch fields[name] {
    case nil, .null: return nil
    case .string(let value): return value
    default: throw .malformed("the claim \(name) is not a string")
    }
  }

  /// RFC 7519's NumericDate may carry a fraction.
  private static func seconds(
    _ name: String, in fields: [String: JSONValue]
  ) throws(TokenError) -> Int? {
    guard let value = fields[name], value != .null else { return nil }
    guard let number = value.doubleValue, let seconds = Int(exactly: number.rounded(.down)) else {
      throw .malformed("the claim \(name) is not a number of seconds")
    }
    return seconds
  }
}
