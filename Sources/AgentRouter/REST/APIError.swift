public import SessionsModel
public import Stores

/// An error of the contract: what a client is told (part 2, "Errors").
public struct APIError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong; the type and the HTTP status follow from it.
  public var code: Code
  /// A sentence: what happened, which value, what to do.
  public var message: String
  /// Seconds after which a retry may succeed, for `Retry-After`.
  public var retryAfterSeconds: Int?

  public init(_ code: Code, _ message: String, retryAfterSeconds: Int? = nil) {
    self.code = code
    self.message = message
    self.retryAfterSeconds = retryAfterSeconds
  }

  public init(_ error: WireError) {
    code = Code(rawValue: error.code.rawValue) ?? .invalidField
    message = error.message
  }

  public init(_ error: StoreError) {
    switch error {
    case .sessionExists(let id):
      self.init(.sessionExists, "The id \(id) is in use; choose another or leave it out.")
    case .sessionMissing(let id):
      self = .sessionNotFound(id)
    case .requestExists(let id):
      self.init(.commandConflict, "The request_id \(id) was used for another text.")
    case .overloaded:
      self.init(
        .dependency, "The session store is overloaded; try again in a second.",
        retryAfterSeconds: 1)
    case .failed:
      // The detail names files and belongs into the log only.
      self.init(.internalError, "The router could not read or write its sessions.")
    }
  }

  public static func sessionNotFound(_ id: String) -> APIError {
    APIError(.sessionNotFound, "There is no session with the id \(id).")
  }

  public var description: String { "\(code.rawValue): \(message)" }

  public var type: String { code.type }
  public var status: Int { code.status }

  public var envelope: ErrorEnvelope {
    ErrorEnvelope(message: message, type: type, code: code.rawValue)
  }
}
