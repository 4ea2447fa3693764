import CLibWebSockets

/// The one certificate a client accepts, whatever authorities, names and dates say: a device trusts
/// what it was paired with, and its clock may be wrong.
///
/// `@unchecked Sendable` by this rule: `refused` and `shown` are touched on the loop's thread only, where all
/// handshakes of a client happen.
final class CertificatePin: @unchecked Sendable {
  /// Nil accepts any, only to learn which one a server shows before it is trusted.
  let expected: CertificateFingerprint?
  private(set) var shown: CertificateFingerprint?
  /// The certificate that was shown instead, last.
  private(set) var refused: CertificateFingerprint?

  init(_ expected: CertificateFingerprint?) {
    self.expected = expected
  }

  /// Judges a handshake; to be called instead of OpenSSL's own verification.
  ///
  /// - Parameter store: an `X509_STORE_CTX`.
  /// - Returns: whether the peer showed the pinned certificate.
  func accepts(_ store: OpaquePointer?) -> Bool {
    shown = CertificateFingerprint(of: X509_STORE_CTX_get0_cert(store))
    guard let shown, expected == nil || shown == expected else {
      refused = shown
      X509_STORE_CTX_set_error(store, X509_V_ERR_APPLICATION_VERIFICATION)
      return false
    }
    refused = nil
    X509_STORE_CTX_set_error(store, X509_V_OK)
    return true
  }

  /// What to say of a refused handshake; nil when none was.
  func complaint(about peer: String) -> String? {
    guard let refused, let expected else { return nil }
    return "\(peer) shows the certificate \(refused), but this device was paired with \(expected): "
      + "pair it again if the router's certificate was changed"
  }
}
