import Foundation
import Networking
import SessionsModel

/// The device's half of a pairing.
struct PairingExchange {
  private static let timeout = Duration.seconds(10)

  let url: URL
  let origin: Origin
  let runtime: LoopRuntime

  /// - Throws: ``UsageError`` when the URL names no router, or one that could be listened to.
  init(url text: String, insecure: Bool, runtime: LoopRuntime) throws(UsageError) {
    guard let url = URL(string: text), let host = url.host, let scheme = url.scheme,
      ["http", "https"].contains(scheme)
    else { throw UsageError("voice pair: --url wants https://HOST:PORT, but got \"\(text)\".") }
    let isLocal = host == "localhost" || host == "::1" || host.hasPrefix("127.")
    guard scheme == "https" || isLocal || insecure else {
      throw UsageError(
        "voice pair: over http anybody on the way can read the token. Use https://\(host), or say "
          + "--insecure.")
    }
    self.url = url
    self.runtime = runtime
    origin = Origin(
      secure: scheme == "https", host: host, port: url.port ?? (scheme == "https" ? 443 : 80))
  }

  /// Trades the code for the user's token, with a router that proves that it knows the code too.
  ///
  /// - Throws: ``FileFault`` with what the router said, or that it is not the one.
  func pair(with code: PairingCode) async throws(FileFault) -> DevicePairing {
    let shown: CertificateFingerprint?
    do {
      shown = try await LoopTransport.certificate(
        of: origin, runtime: runtime, timeout: Self.timeout)
    } catch {
      throw FileFault("\(error)")
    }
    let fingerprint = shown?.description ?? ""
    let nonce = Base64URL.encode(
      withUnsafeBytes(of: (runtime.randomUInt64(), runtime.randomUInt64())) { Array($0) })
    let key = PairingKey(code: code)
    let body = RedeemPairingRequest(
      nonce: nonce, proof: key.deviceProof(nonce: nonce, fingerprint: fingerprint))
    let device = try await redeem(body, pin: shown)
    let expected = key.routerProof(
      nonce: nonce, fingerprint: fingerprint, apiKey: device.apiKey, userID: device.userID,
      token: device.token)
    guard PairingKey.matches(device.proof, expected) else {
      throw FileFault(
        "\(url.absoluteString) does not know the code: it is not the router that showed it. "
          + "Nothing was kept.")
    }
    return DevicePairing(
      url: url.absoluteString, apiKey: device.apiKey, userID: device.userID, token: device.token,
      fingerprint: shown?.description, expiresAt: device.expiresAt)
  }

  private func redeem(
    _ body: RedeemPairingRequest, pin: CertificateFingerprint?
  ) async throws(FileFault) -> PairedDevice {
    let transport = LoopTransport(runtime: runtime, pin: pin)
    let response: HTTPResponse
    do {
      response = try await transport.request(
        HTTPRequest(
          .post, "/v1/pairings/redeem", headers: ["Content-Type": "application/json"],
          body: body.json.serialized), to: origin, timeout: Self.timeout)
    } catch {
      throw FileFault("\(error)")
    }
    guard response.status == 200 else {
      throw FileFault(ErrorEnvelope(status: response.status, body: response.body).message)
    }
    do {
      return try PairedDevice(bytes: response.body)
    } catch {
      throw FileFault("the router's answer cannot be read: \(error)")
    }
  }
}
