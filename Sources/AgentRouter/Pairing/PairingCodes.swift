import SessionsModel

/// The codes a router has shown and nobody has used: short-lived, single-use, few.
struct PairingCodes {
  /// A code holds for five minutes.
  static let lifetimeSeconds = 300
  /// Codes at once; the oldest goes when there is one more.
  static let capacity = 8
  /// Wrong proofs of a minute; more are not looked at until the minute is over.
  static let failuresPerMinute = 10

  struct Offer {
    var key: PairingKey
    var app: String
    var userID: String
    var tokenHours: Int
    /// Seconds since 1970.
    var expiresAt: Int
  }

  enum Outcome {
    case paired(Offer)
    case unknown
    case limited(retryAfterSeconds: Int)
  }

  private var offers: [Offer] = []
  private var failures: (minute: Int, count: Int) = (0, 0)

  var count: Int { offers.count }

  mutating func add(_ offer: Offer, now: Int) {
    offers.removeAll { $0.expiresAt <= now }
    if offers.count == Self.capacity { offers.removeFirst() }
    offers.append(offer)
  }

  /// Takes out the offer that `isProven` says yes to.
  mutating func redeem(now: Int, where isProven: (Offer) -> Bool) -> Outcome {
    offers.removeAll { $0.expiresAt <= now }
    if failures.minute != now / 60 { failures = (now / 60, 0) }
    guard failures.count < Self.failuresPerMinute else {
      return .limited(retryAfterSeconds: 60 - now % 60)
    }
    guard let index = offers.firstIndex(where: isProven) else {
      failures.count += 1
      return .unknown
    }
    return .paired(offers.remove(at: index))
  }
}
