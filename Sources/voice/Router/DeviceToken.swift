import Foundation
import SessionsModel

/// Tokens this program signs for its own device.
enum DeviceToken {
  /// A token for a user's device.
  ///
  /// - Parameter hours: how long it holds.
  static func mint(user: String, secret: String, hours: Int = 24) -> String {
    let now = Int(Date().timeIntervalSince1970)
    // Five seconds back, as the public SDKs do, so that a slightly slow router takes it.
    return Token.mint(
      TokenClaims(userID: user, issuedAt: now - 5, expiresAt: now + hours * 3_600), secret: secret)
  }
}
