import Foundation
import Networking

/// Which router `voice talk` speaks to, as whom: what the command line says, or the pairing.
struct TalkedTo {
  let url: URL
  let apiKey: String
  let userID: String
  let token: String
  let pin: CertificateFingerprint?

  /// - Throws: ``UsageError`` naming the option that is missing, ``FileFault`` for a pairing that
  ///   cannot be used.
  static func chosen(by arguments: Arguments) throws -> TalkedTo {
    if arguments["--url"] == nil, let pairing = try DevicePairing.load(from: Places().devicePairing)
    {
      return try TalkedTo(pairing)
    }
    func need(_ name: String) throws(UsageError) -> String {
      guard let value = arguments[name], !value.isEmpty else {
        throw UsageError(
          "voice talk: \(name) is needed, or `voice pair` first. `voice talk --help` shows what it "
            + "takes.")
      }
      return value
    }
    let address = try need("--url")
    guard let url = URL(string: address), url.host != nil else {
      throw UsageError("voice talk: --url wants http://HOST:PORT, but got \"\(address)\".")
    }
    let variable = try need("--token-env")
    guard let token = ProcessInfo.processInfo.environment[variable], !token.isEmpty else {
      throw UsageError(
        "voice talk: the environment variable \(variable) is empty; put the token of "
          + "`voice token --user ID` there.")
    }
    let pin = try arguments["--fingerprint"].map { text throws(UsageError) in
      guard let fingerprint = CertificateFingerprint(text) else {
        throw UsageError(
          "voice talk: --fingerprint wants 64 hexadecimal digits, but got \"\(text)\".")
      }
      return fingerprint
    }
    return TalkedTo(
      url: url, apiKey: try need("--key"), userID: try need("--user"), token: token, pin: pin)
  }

  private init(
    url: URL, apiKey: String, userID: String, token: String, pin: CertificateFingerprint?
  ) {
    self.url = url
    self.apiKey = apiKey
    self.userID = userID
    self.token = token
    self.pin = pin
  }

  private init(_ pairing: DevicePairing) throws(FileFault) {
    guard let url = URL(string: pairing.url) else {
      throw FileFault("the pairing names no router (\(pairing.url)); pair again.")
    }
    guard pairing.expiresAt > Date() else {
      throw FileFault(
        "the pairing with \(pairing.url) ended at \(pairing.expiresAt); pair again.")
    }
    let pin = pairing.fingerprint.flatMap { CertificateFingerprint($0) }
    if pairing.fingerprint != nil, pin == nil {
      throw FileFault("the pairing's fingerprint cannot be read; pair again.")
    }
    self.init(
      url: url, apiKey: pairing.apiKey, userID: pairing.userID, token: pairing.token, pin: pin)
  }
}
