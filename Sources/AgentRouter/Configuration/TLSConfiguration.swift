public import Networking

/// The section `tls` of `router.yaml`.
public struct TLSConfiguration: Sendable, Hashable {
  public var certificate: ServerCertificate
  /// Said in the file: the router writes the files itself when they are missing.
  public var isSelfSigned: Bool
  /// Of the certificate in use; set by who starts the server and reads the files again.
  public var fingerprint: CertificateFingerprint?

  public init(certificate: ServerCertificate, isSelfSigned: Bool = false) {
    self.certificate = certificate
    self.isSelfSigned = isSelfSigned
  }
}

extension TLSConfiguration {
  /// - Parameter folder: where paths of the file start from.
  init(
    _ section: inout ConfigurationSection, folder: String
  ) throws(ConfigurationError) {
    isSelfSigned = try section.bool("self_signed") ?? false
    let chain = try section.string("certificate")
    let key = try section.string("key")
    func path(_ name: String) -> String { name.hasPrefix("/") ? name : "\(folder)/\(name)" }
    switch (chain, key) {
    case (let chain?, let key?):
      certificate = ServerCertificate(chainPath: path(chain), keyPath: path(key))
    case (nil, nil) where isSelfSigned:
      certificate = ServerCertificate(
        chainPath: path("router-certificate.pem"), keyPath: path("router-key.pem"))
    default:
      throw section.mistake(
        chain == nil ? "certificate" : "key", section.mark,
        "is missing; name the PEM files of certificate and key, or say self_signed: true")
    }
    try section.refuseUnknownKeys()
    guard !isSelfSigned || !certificate.isMissing else { return }
    do throws(CertificateFailure) {
      try certificate.check()
    } catch {
      throw section.mistake("certificate", section.markOf("certificate"), "\(error)")
    }
  }
}
