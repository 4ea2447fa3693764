import Foundation
import Networking
import SessionsModel
import Simulation
import Testing

@testable import AgentRouter

/// A code trades once, soon, and seldom wrongly for its user's token.
@Suite struct PairingTests {
  private let harness = RouterHarness()
  private let nonce = "a-nonce-of-this-test"

  private func offer(user: String = "anna", as device: String? = nil) throws -> Answer {
    var request = HTTPRequest(.post, "/v1/pairings")
    request.headers["X-Api-Key"] = "first"
    request.headers["Authorization"] = "Bearer " + harness.token(user: device)
    if device == nil { request.headers["Stream-Auth-Type"] = "server" }
    request.body = CreatePairingRequest(userID: user).json.serialized
    return try harness.send(request)
  }

  private func redeem(_ code: String, fingerprint: String = "") throws -> Answer {
    let key = PairingKey(code: try #require(PairingCode(code)))
    let body = RedeemPairingRequest(
      nonce: nonce, proof: key.deviceProof(nonce: nonce, fingerprint: fingerprint))
    return try harness.send(
      HTTPRequest(.post, "/v1/pairings/redeem", body: body.json.serialized))
  }

  private func code(of answer: Answer) throws -> String {
    try #require(answer.json["code"]?.stringValue)
  }

  @Test func aCodeGivesATokenOfItsUserOnce() throws {
    let code = try code(of: offer())
    let answer = try redeem(code.lowercased().replacing("-", with: " "))
    #expect(answer.status == 200)
    let device = try PairedDevice(json: answer.json)
    let claims = try Token.verify(
      device.token, secret: RouterHarness.secret, now: harness.runtime.secondsSince1970)
    #expect(claims.userID == "anna")
    #expect(claims.server == false)
    let key = PairingKey(code: try #require(PairingCode(code)))
    #expect(
      device.proof
        == key.routerProof(
          nonce: nonce, fingerprint: "", apiKey: "first", userID: "anna", token: device.token))
    #expect(try redeem(code).code == "pairing_not_found")
  }

  @Test func onlyABackendGetsCodes() throws {
    #expect(try offer(as: "anna").code == "server_only")
  }

  @Test func aCodeIsOldAfterFiveMinutes() throws {
    let code = try code(of: offer())
    harness.runtime.run(for: .seconds(299))
    let second = try self.code(of: offer())
    harness.runtime.run(for: .seconds(1))
    #expect(try redeem(code).code == "pairing_not_found")
    #expect(try redeem(second).status == 200)
  }

  /// Somebody in between shows a certificate of his own, so the proof is for that one.
  @Test func aProofForAnotherCertificateIsNone() throws {
    let code = try code(of: offer())
    #expect(try redeem(code, fingerprint: "AA").code == "pairing_not_found")
    #expect(try redeem(code).status == 200)
  }

  @Test func guessingIsLimited() throws {
    let code = try code(of: offer())
    for _ in 0..<10 { #expect(try redeem("AAAAAAAAAA").status == 404) }
    let refused = try redeem(code)
    #expect(refused.status == 429)
    #expect(refused.response.headers["Retry-After"] != nil)
    harness.runtime.run(for: .seconds(60))
    #expect(try redeem(code).status == 200)
  }

  @Test func aNinthCodeTakesTheFirstOnesPlace() throws {
    let codes = try (0..<9).map { _ in try code(of: offer()) }
    #expect(try redeem(codes[0]).status == 404)
    #expect(try redeem(codes[8]).status == 200)
  }

  @Test(arguments: ["", "ABC", "ABCDEFGHJU", "ABCDE-FGHJKM", "ÄBCDEFGHJK"])
  func whatIsNoCodeIsNone(_ text: String) {
    #expect(PairingCode(text) == nil)
  }

  @Test func lettersThatLookAlikeAreRead() {
    #expect(PairingCode("o1iLo-00000") == PairingCode("01110-00000"))
  }
}
