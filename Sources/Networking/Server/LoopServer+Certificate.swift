import CLibWebSockets

extension LoopServer {
  /// Reads the certificate's files again; connections that are open keep the old one.
  ///
  /// - Throws: ``CertificateFailure``, and the old certificate stays in use.
  /// - Returns: the fingerprint of what is used from now on; nil without TLS.
  @discardableResult
  public func renewCertificate() throws(CertificateFailure) -> CertificateFingerprint? {
    guard let certificate = configuration.certificate, let context = context?.context else {
      return nil
    }
    // libwebsockets would put a certificate in use before it finds that the key is another's.
    let fingerprint = try certificate.check()
    guard
      lws_tls_cert_updated(
        context, certificate.chainPath, certificate.keyPath, nil, 0, nil, 0) == 0
    else {
      throw CertificateFailure("\(certificate.chainPath) could not be put to use")
    }
    return fingerprint
  }
}
