@testable import SessionsModel

// One target for each path that reads what strangers send; FUZZ_TARGET chooses at build time.

#if FUZZ_JSON
  /// What parses must be written as JSON that parses to the same value.
  func examine(_ bytes: [UInt8]) {
    guard let value = try? JSONValue.parse(bytes) else { return }  // Refused is as good.
    let written = value.serialized
    guard let again = try? JSONValue.parse(written) else {
      fatalError("what was written does not parse: \(value)")
    }
    precondition(again == value, "another value came back")
    precondition(again.serialized == written, "the same value was written in two ways")
    // A request read from it must be refused or written down, never crash.
    _ = try? CreateSessionRequest(json: value)
    _ = try? SessionQueryRequest(json: value)
    _ = try? CreateResponseRequest(json: value)
    _ = Frame(json: value)?.text
  }
#elseif FUZZ_TOKEN
  /// No text without the right signature is a token, whatever else is in it.
  func examine(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    _ = try? Token.verify(text, secret: "never used to sign", now: 1_700_000_000)
    // The same bytes as claims under a right signature must be read or refused.
    guard let claims = try? JSONValue.parse(bytes) else { return }
    let token = Token.sign(header: ["alg": "HS256"], claims: claims, secret: "s")
    _ = try? Token.verify(token, secret: "s", now: 1_700_000_000)
  }
#endif
