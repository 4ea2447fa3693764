public import Foundation

/// Body of `POST /v1/pairings`: a backend asks for a code.
public struct CreatePairingRequest: Sendable, Hashable {
  public var userID: String
  /// How long the device's token holds; 2,160 (90 days) when nil.
  public var hours: Int?

  public init(userID: String, hours: Int? = nil) {
    self.userID = userID
    self.hours = hours
  }
}

extension CreatePairingRequest: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "the pairing")
    userID = try reader.requiredString("user_id", limit: 255)
    hours = try reader.int("hours", in: 1...8760)
    try reader.refuseUnknownFields()
    if userID.isEmpty {
      throw WireError(.invalidField, "The field user_id of the pairing is empty.")
    }
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    writer.set("user_id", userID)
    writer.set("hours", hours)
    return writer.json
  }
}

/// Answer to `POST /v1/pairings`.
public struct PairingOffer: Sendable, Hashable {
  public var code: String
  public var userID: String
  public var expiresAt: Date
  /// Of the router's certificate; nil without TLS.
  public var fingerprint: String?

  public init(code: String, userID: String, expiresAt: Date, fingerprint: String?) {
    self.code = code
    self.userID = userID
    self.expiresAt = expiresAt
    self.fingerprint = fingerprint
  }
}

extension PairingOffer: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "the pairing's offer")
    code = try reader.requiredString("code")
    userID = try reader.requiredString("user_id")
    guard let date = try reader.date("expires_at") else { throw reader.missing("expires_at") }
    expiresAt = date
    fingerprint = try reader.string("fingerprint")
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    writer.set("code", code)
    writer.set("user_id", userID)
    writer.set("expires_at", expiresAt)
    writer.set("fingerprint", fingerprint)
    return writer.json
  }
}

/// Body of `POST /v1/pairings/redeem`: a device proves that it knows the code.
public struct RedeemPairingRequest: Sendable, Hashable {
  public var nonce: String
  public var proof: String

  public init(nonce: String, proof: String) {
    self.nonce = nonce
    self.proof = proof
  }
}

extension RedeemPairingRequest: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "the redemption")
    nonce = try reader.requiredString("nonce", limit: 64)
    proof = try reader.requiredString("proof", limit: 64)
    try reader.refuseUnknownFields()
    guard nonce.utf8.count >= 16 else {
      throw WireError(
        .invalidField, "The field nonce of the redemption has \(nonce.utf8.count) bytes, not 16.")
    }
  }

  public var json: JSONValue { ["nonce": .string(nonce), "proof": .string(proof)] }
}

/// Answer to `POST /v1/pairings/redeem`.
public struct PairedDevice: Sendable, Hashable {
  public var apiKey: String
  public var userID: String
  public var token: String
  public var expiresAt: Date
  /// The router's proof, over everything but the time.
  public var proof: String

  public init(apiKey: String, userID: String, token: String, expiresAt: Date, proof: String) {
    self.apiKey = apiKey
    self.userID = userID
    self.token = token
    self.expiresAt = expiresAt
    self.proof = proof
  }
}

extension PairedDevice: WireValue {
  public init(json: JSONValue) throws(WireError) {
    var reader = try FieldReader(json, "the paired device")
    apiKey = try reader.requiredString("api_key")
    userID = try reader.requiredString("user_id")
    token = try reader.requiredString("token")
    guard let date = try reader.date("expires_at") else { throw reader.missing("expires_at") }
    expiresAt = date
    proof = try reader.requiredString("proof")
  }

  public var json: JSONValue {
    var writer = FieldWriter()
    writer.set("api_key", apiKey)
    writer.set("user_id", userID)
    writer.set("token", token)
    writer.set("expires_at", expiresAt)
    writer.set("proof", proof)
    return writer.json
  }
}
