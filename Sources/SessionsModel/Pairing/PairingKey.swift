private import CCrypto

/// What both sides of a pairing derive from the code, and the proofs they make with it.
///
/// The code itself never travels. The device proves that it knows the code for the very certificate
/// it was shown, and the router that the token it gives out was meant for this device: somebody in
/// between shows another certificate, so that neither proof fits. What could be tried offline is
/// slowed down by the derivation.
public struct PairingKey: Sendable {
  /// Rounds of PBKDF2: about 2 ms here, so that a router may derive one on its loop.
  private static let rounds: Int32 = 4096

  private let bytes: [UInt8]

  public init(code: PairingCode) {
    var key = [UInt8](repeating: 0, count: 32)
    let salt = Array("voice pairing 1".utf8)
    let result = PKCS5_PBKDF2_HMAC(
      code.letters, Int32(code.letters.utf8.count), salt, Int32(salt.count), Self.rounds,
      EVP_sha256(), Int32(key.count), &key)
    precondition(result == 1, "OpenSSL has no memory")
    bytes = key
  }

  /// The device's proof.
  ///
  /// - Parameters:
  ///   - nonce: chosen by the device.
  ///   - fingerprint: of the certificate the device was shown; empty without TLS.
  public func deviceProof(nonce: String, fingerprint: String) -> String {
    proof(["device", nonce, fingerprint])
  }

  /// The router's proof of everything it gives out.
  public func routerProof(
    nonce: String, fingerprint: String, apiKey: String, userID: String, token: String
  ) -> String {
    proof(["router", nonce, fingerprint, apiKey, userID, token])
  }

  /// Whether two proofs are the same, in time that does not depend on where they differ.
  public static func matches(_ first: String, _ second: String) -> Bool {
    let (first, second) = (Array(first.utf8), Array(second.utf8))
    return first.count == second.count && CRYPTO_memcmp(first, second, first.count) == 0
  }

  private func proof(_ parts: [String]) -> String {
    // Lengths in front keep one part from reaching into the next.
    let text = Array(parts.map { "\($0.utf8.count):\($0)" }.joined(separator: ",").utf8)
    var digest = [UInt8](repeating: 0, count: 32)
    var count = UInt32(0)
    let made = HMAC(
      EVP_sha256(), bytes, Int32(bytes.count), text, text.count, &digest, &count)
    precondition(made != nil && count == 32, "OpenSSL has no memory")
    return Base64URL.encode(digest)
  }
}
