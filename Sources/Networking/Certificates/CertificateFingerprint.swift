import CLibWebSockets

/// The SHA-256 of a certificate (DER), as `openssl x509 -fingerprint -sha256` shows it.
public struct CertificateFingerprint: Sendable, Hashable, CustomStringConvertible {
  static let byteCount = 32

  /// 32 bytes.
  public let bytes: [UInt8]

  /// Reads 64 hexadecimal digits, with or without colons; nil for anything else.
  public init?(_ text: String) {
    let digits = text.utf8.filter { $0 != UInt8(ascii: ":") }
    guard digits.count == 2 * Self.byteCount else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      let pair = String(decoding: digits[index..<index + 2], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16) else { return nil }
      bytes.append(byte)
    }
    self.bytes = bytes
  }

  /// The fingerprint of the first certificate of a PEM file.
  ///
  /// - Throws: ``CertificateFailure`` naming the file.
  public init(ofFile path: String) throws(CertificateFailure) {
    self = try ServerCertificate.read(path: path) { certificate in
      CertificateFingerprint(of: certificate)
    }
  }

  init?(of certificate: OpaquePointer?) {
    guard let certificate else { return nil }
    var digest = [UInt8](repeating: 0, count: Self.byteCount)
    var count = UInt32(0)
    guard X509_digest(certificate, EVP_sha256(), &digest, &count) == 1,
      count == Self.byteCount
    else { return nil }
    bytes = digest
  }

  public var description: String {
    bytes.map { byte in
      let text = String(byte, radix: 16, uppercase: true)
      return text.count == 1 ? "0" + text : text
    }.joined(separator: ":")
  }
}

/// Why certificate files cannot be used, in a sentence.
public struct CertificateFailure: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
