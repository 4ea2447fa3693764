import Foundation
import Networking
import SessionsModel
import Synchronization

/// The codes of one router, shared by its handlers.
final class PairingDesk: Sendable {
  let codes = Mutex(PairingCodes())
}

extension Router {
  private static let defaultTokenHours = 90 * 24

  /// Gives a backend a code that a person types at the device.
  func createPairing(_ call: APICall) throws(APIError) -> HTTPResponse {
    try call.requireBackend()
    let request = try call.body(CreatePairingRequest.self)
    let runtime = environment.runtime
    let code = PairingCode(random: runtime.randomUInt64())
    let now = runtime.secondsSince1970
    let offer = PairingCodes.Offer(
      key: PairingKey(code: code), app: call.caller.app, userID: request.userID,
      tokenHours: request.hours ?? Self.defaultTokenHours,
      expiresAt: now + PairingCodes.lifetimeSeconds)
    pairing.codes.withLock { $0.add(offer, now: now) }
    let shown = PairingOffer(
      code: code.description, userID: request.userID,
      expiresAt: Date(timeIntervalSince1970: TimeInterval(offer.expiresAt)),
      fingerprint: fingerprint)
    return HTTPResponse(status: 201, json: shown.json)
  }

  /// Trades a device's proof of the code for its user's token; open to everyone, and limited.
  func redeemPairing(_ request: HTTPRequest) throws(APIError) -> HTTPResponse {
    guard request.body.count <= 4096 else {
      throw APIError(
        .tooLarge, "The body has \(request.body.count) bytes; at most 4096 are accepted.")
    }
    let body: RedeemPairingRequest
    do throws(WireError) {
      body = try RedeemPairingRequest(bytes: request.body)
    } catch {
      throw APIError(error)
    }
    let now = environment.runtime.secondsSince1970
    let shown = fingerprint ?? ""
    let outcome = pairing.codes.withLock { codes in
      codes.redeem(now: now) { offer in
        PairingKey.matches(
          body.proof, offer.key.deviceProof(nonce: body.nonce, fingerprint: shown))
      }
    }
    switch outcome {
    case .paired(let offer): return try paired(offer, nonce: body.nonce, now: now)
    case .unknown:
      throw APIError(
        .pairingNotFound,
        "No code of this router fits: it was mistyped, used already, or is older than "
          + "\(PairingCodes.lifetimeSeconds / 60) minutes. Ask the router for a new one.")
    case .limited(let seconds):
      throw APIError(
        .rateLimited,
        "\(PairingCodes.failuresPerMinute) wrong codes came within a minute; wait \(seconds) s.",
        retryAfterSeconds: seconds)
    }
  }

  private func paired(
    _ offer: PairingCodes.Offer, nonce: String, now: Int
  ) throws(APIError) -> HTTPResponse {
    guard let app = environment.configuration.app(key: offer.app) else {
      throw APIError(.pairingNotFound, "The app of this code is no longer configured.")
    }
    let expiry = now + offer.tokenHours * 3600
    let token = Token.mint(
      TokenClaims(userID: offer.userID, issuedAt: now - 5, expiresAt: expiry), secret: app.secret)
    let proof = offer.key.routerProof(
      nonce: nonce, fingerprint: fingerprint ?? "", apiKey: app.key, userID: offer.userID,
      token: token)
    let device = PairedDevice(
      apiKey: app.key, userID: offer.userID, token: token,
      expiresAt: Date(timeIntervalSince1970: TimeInterval(expiry)), proof: proof)
    return HTTPResponse(json: device.json)
  }

  private var fingerprint: String? {
    environment.configuration.tls?.fingerprint?.description
  }
}
