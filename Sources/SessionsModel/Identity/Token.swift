private import CCrypto

/// JSON Web Tokens (RFC 7519) signed with HMAC SHA-256, and nothing else.
public enum Token {
  /// Longest token that is looked at (contract part 1, 1.1).
  public static let byteLimit = 16_384
  /// Clock difference that `exp`, `nbf` and `iat` tolerate, in seconds (contract part 2, "Auth").
  public static let skewSeconds = 60

  /// Signs claims with an app's secret.
  public static func mint(_ claims: TokenClaims, secret: String) -> String {
    sign(header: ["alg": "HS256", "typ": "JWT"], claims: claims.json, secret: secret)
  }

  static func sign(header: JSONValue, claims: JSONValue, secret: String) -> String {
    let signed = Base64URL.encode(header.serialized) + "." + Base64URL.encode(claims.serialized)
    return signed + "." + Base64URL.encode(signature(of: signed, secret: secret))
  }

  /// Checks a token's form, signature and times, in this order.
  ///
  /// - Parameter now: seconds since 1970.
  public static func verify(
    _ token: String, secret: String, now: Int
  ) throws(TokenError) -> TokenClaims {
    let claims = try claims(of: token, secret: secret)
    try check(claims, now: now)
    return claims
  }

  /// Checks a token's form and signature, which do not change with time.
  public static func claims(
    of token: String, secret: String
  ) throws(TokenError) -> TokenClaims {
    guard token.utf8.count <= byteLimit else { throw .tooLarge(bytes: token.utf8.count) }
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3 else { throw .malformed("it has \(parts.count) parts, not three") }
    try checkAlgorithm(parts[0])
    guard let given = Base64URL.decode(parts[2]) else {
      throw .malformed("its signature is not base 64")
    }
    let expected = signature(of: "\(parts[0]).\(parts[1])", secret: secret)
    guard given.count == expected.count, CRYPTO_memcmp(given, expected, expected.count) == 0
    else { throw .badSignature }
    return try TokenClaims(json: object(parts[1], called: "claims"))
  }

  /// Checks a token's times.
  ///
  /// - Parameter now: seconds since 1970.
  public static func check(_ claims: TokenClaims, now: Int) throws(TokenError) {
    if let expiry = claims.expiresAt, now > expiry.addingSkew { throw .expired(at: expiry) }
    let starts = [claims.notBefore, claims.issuedAt].compactMap { $0 }
    for start in starts where start > now.addingSkew { throw .notYetValid(until: start) }
  }

  private static func checkAlgorithm(_ part: Substring) throws(TokenError) {
    let header = try object(part, called: "header")
    guard case .string(let algorithm)? = header["alg"] else {
      throw .malformed("its header names no algorithm")
    }
    guard algorithm == "HS256" else { throw .unsupportedAlgorithm(algorithm) }
    // RFC 7515, 4.1.11: an extension that is marked critical and not understood is refused.
    if header["crit"] != nil { throw .malformed("its header has critical extensions") }
  }

  private static func object(
    _ part: Substring, called name: String
  ) throws(TokenError) -> JSONValue {
    guard let bytes = Base64URL.decode(part) else {
      throw .malformed("its \(name) is not base 64")
    }
    do {
      return try JSONValue.parse(bytes)
    } catch {
      throw .malformed("its \(name) is not JSON: \(error)")
    }
  }

  private static func signature(of text: String, secret: String) -> [UInt8] {
    let key = Array(secret.utf8)
    let message = Array(text.utf8)
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var count: UInt32 = 0
    let result = HMAC(
      EVP_sha256(), key, Int32(key.count), message, message.count, &digest, &count)
    // HMAC fails only when OpenSSL has no SHA-256 or no memory.
    precondition(result != nil && count == 32, "OpenSSL could not compute an HMAC")
    return Array(digest.prefix(32))
  }
}

extension Int {
  fileprivate var addingSkew: Int {
    let (sum, overflow) = addingReportingOverflow(Token.skewSeconds)
    return overflow ? .max : sum
  }
}
