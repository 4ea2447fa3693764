import CLibWebSockets
import Foundation
import Glibc

extension ServerCertificate {
  /// Twenty years: a device that is paired with a certificate is not to lose it.
  private static let lifetimeSeconds = 20 * 365 * 86_400

  /// Writes a self-signed certificate and its key (EC P-256), the key for its owner only.
  ///
  /// - Parameter name: common name, such as the machine's.
  /// - Throws: ``CertificateFailure`` when a file is there already or cannot be written.
  public func make(name: String) throws(CertificateFailure) {
    guard let key = Self.newKey() else { throw CertificateFailure("OpenSSL could make no key") }
    defer { EVP_PKEY_free(key) }
    guard let certificate = X509_new() else {
      throw CertificateFailure("OpenSSL could make no certificate")
    }
    defer { X509_free(certificate) }
    guard Self.fill(certificate, key: key, name: name) else {
      throw CertificateFailure("OpenSSL could not sign a certificate for \(name)")
    }
    try Self.write(keyPath, mode: 0o600) {
      PEM_write_bio_PrivateKey($0, key, nil, nil, 0, nil, nil)
    }
    try Self.write(chainPath, mode: 0o644) { PEM_write_bio_X509($0, certificate) }
  }

  private static func newKey() -> OpaquePointer? {
    guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { return nil }
    defer { EVP_PKEY_CTX_free(context) }
    var key: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1,
      EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
      EVP_PKEY_keygen(context, &key) == 1
    else { return nil }
    return key
  }

  private static func fill(_ certificate: OpaquePointer, key: OpaquePointer, name: String) -> Bool {
    var generator = SystemRandomNumberGenerator()
    let serial = Int(generator.next() >> 2)
    guard X509_set_version(certificate, 2) == 1,
      ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), Int64(serial)) == 1,
      // A day back, for devices whose clock is a little slow.
      X509_gmtime_adj(X509_getm_notBefore(certificate), -86_400) != nil,
      X509_gmtime_adj(X509_getm_notAfter(certificate), lifetimeSeconds) != nil,
      X509_set_pubkey(certificate, key) == 1, let subject = X509_get_subject_name(certificate)
    else { return false }
    let isNamed = X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, name, -1, -1, 0)
    return isNamed == 1 && X509_set_issuer_name(certificate, subject) == 1
      && X509_sign(certificate, key, EVP_sha256()) > 0
  }

  /// Writes a new file; one that is there is not touched.
  private static func write(
    _ path: String, mode: mode_t, _ body: (OpaquePointer) -> Int32
  ) throws(CertificateFailure) {
    guard let memory = BIO_new(BIO_s_mem()) else { throw CertificateFailure("out of memory") }
    defer { BIO_free(memory) }
    guard body(memory) == 1 else { throw CertificateFailure("OpenSSL could not write \(path)") }
    var bytes = [UInt8](repeating: 0, count: 8192)
    let count = Int(BIO_read(memory, &bytes, Int32(bytes.count)))
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    let written = descriptor < 0 ? -1 : Glibc.write(descriptor, bytes, count)
    let reason = errno
    if descriptor >= 0 { close(descriptor) }
    guard count > 0, written == count else {
      throw CertificateFailure("\(path) cannot be written: \(String(cString: strerror(reason)))")
    }
  }
}
