import Foundation
import SessionsModel
import Testing
import VoiceProgram

/// Who is let in, and what is said to who is not.
struct RouterDoorTests {
  private func talk(
    to router: String, key: String, token: String
  ) async throws -> VoiceProcess.Ending {
    try await VoiceProcess.start(
      ["talk", "--url", router, "--key", key, "--token-env", "VOICE_TEST_TOKEN", "--user", "u"],
      environment: ["VOICE_TEST_TOKEN": token], limit: .seconds(60)
    ).ending()
  }

  private func token(secret: String, expiresIn seconds: Int) -> String {
    let now = Int(Date().timeIntervalSince1970)
    return Token.mint(
      TokenClaims(userID: "u", issuedAt: now - 7_200, expiresAt: now + seconds), secret: secret)
  }

  @Test func aWrongKeyAndAWrongTokenAreRefusedWithAReason() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    let keys = try place.writeConfiguration()
    let router = try await RunningRouter(in: place)
    let valid = token(secret: keys.secret, expiresIn: 600)

    let wrongKey = try await talk(to: router.url.absoluteString, key: "key_other", token: valid)
    #expect(wrongKey.exitCode == 1)
    #expect(wrongKey.errors.contains("knows no such API key"), "\(wrongKey.errors)")
    #expect(wrongKey.errors.contains("router.yaml"), "\(wrongKey.errors)")

    let expired = try await talk(
      to: router.url.absoluteString, key: keys.key,
      token: token(secret: keys.secret, expiresIn: -3_600))
    #expect(expired.exitCode == 1)
    #expect(expired.errors.contains("expired"), "\(expired.errors)")
    #expect(expired.errors.contains("voice token"), "\(expired.errors)")

    let forged = try await talk(
      to: router.url.absoluteString, key: keys.key, token: token(secret: "x", expiresIn: 600))
    #expect(forged.exitCode == 1)
    #expect(forged.errors.contains("signature"), "\(forged.errors)")
    #expect(await router.stop().exitCode == 0)
  }

  @Test func aPortInUseIsNamed() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    try place.writeConfiguration()
    let router = try await RunningRouter(in: place)
    let second = try await VoiceProcess.start(
      ["router", "--sound-path-only", "--listen", "127.0.0.1:\(router.port)"],
      environment: ["VOICE_DATA": place.folder.path], limit: .seconds(30)
    ).ending()
    #expect(second.exitCode == 1)
    #expect(second.errors.contains("port \(router.port)"), "\(second.errors)")
    #expect(second.errors.contains("in use by another program"), "\(second.errors)")
    await router.stop()
  }

  @Test func aRouterThatIsNotThereIsSaid() async throws {
    let ending = try await talk(to: "http://127.0.0.1:1", key: "k", token: "t")
    #expect(ending.exitCode == 1)
    #expect(
      ending.errors.hasPrefix(
        "voice talk: the router could not be reached: no connection to 127.0.0.1:1"),
      "\(ending.errors)")
  }

  @Test func theFirstStartMakesAKeyPairOnlyItsOwnerCanRead() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    let router = try await RunningRouter(in: place)
    await router.stop()
    let attributes = try FileManager.default.attributesOfItem(
      atPath: place.file("router.yaml").path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }
}
