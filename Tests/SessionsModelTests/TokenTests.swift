import Testing

@testable import SessionsModel

@Suite struct TokenTests {
  private let now = 1_800_000_000

  /// The example token of jwt.io, signed with "your-256-bit-secret".
  private let known =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
    + ".eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIiwiaWF0IjoxNTE2MjM5MDIyfQ"
    + ".SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"

  @Test func aTokenOfAnotherMakerIsVerified() throws {
    let claims = try Token.verify(known, secret: "your-256-bit-secret", now: now)
    #expect(claims == TokenClaims(issuedAt: 1_516_239_022))
  }

  @Test func whatIsMintedIsVerified() throws {
    let claims = TokenClaims(
      userID: "jlahey", role: "guest", issuedAt: now - 5, notBefore: now - 5, expiresAt: now + 60)
    let token = Token.mint(claims, secret: "secret")
    #expect(try Token.verify(token, secret: "secret", now: now) == claims)
    let backend = TokenClaims(server: true)
    #expect(
      try Token.verify(Token.mint(backend, secret: "s"), secret: "s", now: now) == backend)
  }

  @Test func anotherSecretIsRefused() {
    #expect(throws: TokenError.badSignature) {
      try Token.verify(known, secret: "another-256-bit-secret", now: now)
    }
  }

  @Test func everyChangedCharacterIsRefused() {
    let characters = Array(known)
    for index in characters.indices where characters[index] != "." {
      var changed = characters
      changed[index] = changed[index] == "A" ? "B" : "A"
      #expect(throws: TokenError.self) {
        try Token.verify(String(changed), secret: "your-256-bit-secret", now: now)
      }
    }
  }

  @Test(arguments: ["none", "None", "RS256", "HS384", "ES256", "hs256", ""])
  func anotherAlgorithmIsRefusedWhateverTheSignature(_ algorithm: String) {
    let header: JSONValue = ["alg": .string(algorithm), "typ": "JWT"]
    let signed = Token.sign(header: header, claims: [:], secret: "s")
    let unsigned = signed.prefix(through: signed.lastIndex(of: ".") ?? signed.startIndex)
    for token in [signed, String(unsigned)] {
      #expect(throws: TokenError.unsupportedAlgorithm(algorithm)) {
        try Token.verify(token, secret: "s", now: now)
      }
    }
  }

  @Test func sixtySecondsOfSkewAreTolerated() throws {
    func verify(_ claims: TokenClaims) throws(TokenError) -> TokenClaims {
      try Token.verify(Token.mint(claims, secret: "s"), secret: "s", now: now)
    }
    #expect(throws: Never.self) { try verify(TokenClaims(expiresAt: now - 60)) }
    #expect(throws: TokenError.expired(at: now - 61)) {
      try verify(TokenClaims(expiresAt: now - 61))
    }
    #expect(throws: Never.self) { try verify(TokenClaims(notBefore: now + 60)) }
    #expect(throws: TokenError.notYetValid(until: now + 61)) {
      try verify(TokenClaims(notBefore: now + 61))
    }
    #expect(throws: TokenError.notYetValid(until: now + 61)) {
      try verify(TokenClaims(issuedAt: now + 61))
    }
    #expect(throws: Never.self) { try verify(TokenClaims(expiresAt: 1 << 52)) }
  }

  @Test func aTokenBeyondSixteenKibibytesIsNotLookedAt() {
    let token = String(repeating: "a", count: 16_385)
    #expect(throws: TokenError.tooLarge(bytes: 16_385)) {
      try Token.verify(token, secret: "s", now: now)
    }
  }

  @Test(arguments: [
    "", ".", "..", "a.b", "a.b.c.d", "eyJhbGciOiJIUzI1NiJ9.e30", "=.=.=", "\u{0}.a.b",
  ])
  func whatIsNoTokenIsRefused(_ text: String) {
    #expect(throws: TokenError.self) { try Token.verify(text, secret: "s", now: now) }
  }

  @Test(
    arguments: [
      ["user_id": 5], ["server": "true"], ["exp": "soon"], ["exp": 1e300], [1],
    ] as [JSONValue])
  func claimsOfAWrongKindAreRefused(_ claims: JSONValue) {
    let token = Token.sign(header: ["alg": "HS256"], claims: claims, secret: "s")
    let error = #expect(throws: TokenError.self) {
      try Token.verify(token, secret: "s", now: now)
    }
    guard case .malformed = error else {
      Issue.record("refused as \(String(describing: error))")
      return
    }
  }

  @Test func criticalExtensionsAreRefused() {
    let header: JSONValue = ["alg": "HS256", "crit": ["b64"]]
    let token = Token.sign(header: header, claims: [:], secret: "s")
    #expect(throws: TokenError.malformed("its header has critical extensions")) {
      try Token.verify(token, secret: "s", now: now)
    }
  }
}
