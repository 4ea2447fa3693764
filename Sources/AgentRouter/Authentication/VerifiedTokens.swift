import SessionsModel
import Synchronization

/// Tokens whose signature was found right, so that a client's next request costs no HMAC and no
/// JSON. Times are checked anew each time.
public final class VerifiedTokens: Sendable {
  /// Tokens kept; all are forgotten when there is one more, which bounds what is kept of strangers.
  static let capacity = 1024

  private struct Key: Hashable {
    var token: String
    var secret: String
  }

  private let known = Mutex<[Key: TokenClaims]>([:])

  public init() {}

  /// - Parameter now: seconds since 1970.
  func verify(
    _ token: String, secret: String, now: Int
  ) throws(TokenError) -> TokenClaims {
    let key = Key(token: token, secret: secret)
    if let claims = known.withLock({ $0[key] }) {
      try Token.check(claims, now: now)
      return claims
    }
    let claims = try Token.claims(of: token, secret: secret)
    try Token.check(claims, now: now)
    known.withLock { known in
      if known.count >= Self.capacity { known = [:] }
      known[key] = claims
    }
    return claims
  }
}
