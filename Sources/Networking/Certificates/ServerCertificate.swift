import CLibWebSockets
import Foundation

/// The PEM files of a server's certificate chain and its key.
public struct ServerCertificate: Sendable, Hashable {
  public var chainPath: String
  public var keyPath: String

  public init(chainPath: String, keyPath: String) {
    self.chainPath = chainPath
    self.keyPath = keyPath
  }

  /// Whether neither file is there.
  public var isMissing: Bool {
    !FileManager.default.fileExists(atPath: chainPath)
      && !FileManager.default.fileExists(atPath: keyPath)
  }

  /// Makes sure that both files can be read, belong together and are valid now.
  ///
  /// libwebsockets only says that it could not; this says which file and why.
  ///
  /// - Returns: the certificate's fingerprint.
  /// - Throws: ``CertificateFailure`` naming the file and what is wrong with it.
  @discardableResult
  public func check() throws(CertificateFailure) -> CertificateFingerprint {
    let key = try Self.openKey(keyPath)
    defer { EVP_PKEY_free(key) }
    let chain = chainPath
    let keyFile = keyPath
    return try Self.read(path: chain) { certificate throws(CertificateFailure) in
      guard X509_check_private_key(certificate, key) == 1 else {
        throw CertificateFailure("the key \(keyFile) is not the one of the certificate \(chain)")
      }
      guard X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0 else {
        throw CertificateFailure("the certificate \(chain) has expired")
      }
      return CertificateFingerprint(of: certificate)
    }
  }

  /// Reads the first certificate of a PEM file and hands it over while it lives.
  static func read<Value>(
    path: String, _ body: (OpaquePointer) throws(CertificateFailure) -> Value?
  ) throws(CertificateFailure) -> Value {
    let file = try open(path)
    defer { BIO_free(file) }
    guard let certificate = PEM_read_bio_X509(file, nil, nil, nil) else {
      throw CertificateFailure("\(path) is no certificate in PEM form")
    }
    defer { X509_free(certificate) }
    guard let value = try body(certificate) else {
      throw CertificateFailure("\(path) cannot be read by OpenSSL")
    }
    return value
  }

  private static func openKey(_ path: String) throws(CertificateFailure) -> OpaquePointer {
    let file = try open(path)
    defer { BIO_free(file) }
    // An empty password: a key that asks for one is refused instead of asking on the terminal.
    let key = PEM_read_bio_PrivateKey(file, nil, { _, _, _, _ in -1 }, nil)
    guard let key else {
      throw CertificateFailure("\(path) is no private key in PEM form, or has a password")
    }
    return key
  }

  private static func open(_ path: String) throws(CertificateFailure) -> OpaquePointer {
    guard let file = BIO_new_file(path, "r") else {
      throw CertificateFailure("\(path) cannot be read: \(String(cString: strerror(errno)))")
    }
    return file
  }
}
