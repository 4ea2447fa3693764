import SessionsModel

/// What the description says of one route.
struct OpenAPIOperation {
  enum Access {
    /// Nobody has to say who they are.
    case everyone
    /// A user's device, or a backend.
    case device
    /// A backend only; a device gets `server_only`.
    case backend
  }

  struct Parameter {
    var name: String
    var schema: JSONValue
    var text: String
  }

  struct Answer {
    var status: Int
    var text: String
    /// Name of the body's schema; nil without a body.
    var schema: String?
  }

  var summary: String
  var access = Access.device
  /// Name of the request's schema; nil without a body.
  var request: String?
  /// An empty body counts as `{}`.
  var isRequestOptional = false
  var query: [Parameter] = []
  var answers: [Answer]
  /// Error codes of this operation beside those that ``Access`` brings.
  var errors: [APIError.Code] = []

  /// Every error code of the operation.
  var allErrors: Set<APIError.Code> {
    var codes = Set(errors)
    codes.insert(.internalError)
    if access != .everyone {
      codes.formUnion([.unauthenticated, .tokenExpired, .tokenNotYetValid, .badSignature])
      codes.formUnion([.tooLarge, .dependency])
    }
    // A parameter with a line break in it makes the path one that this router does not have.
    if access != .everyone { codes.insert(.routeNotFound) }
    if access == .backend { codes.insert(.serverOnly) }
    if request != nil { codes.formUnion(Self.bodyErrors) }
    return codes
  }

  /// What any body can be refused for.
  private static let bodyErrors: Set<APIError.Code> = [
    .invalidJSON, .invalidUTF8, .invalidField, .unknownField,
  ]
}

extension OpenAPIOperation.Parameter {
  static func limit(_ maximum: Int) -> Self {
    Self(
      name: "limit",
      schema: ["type": "integer", "minimum": 1, "maximum": .int(maximum), "default": 25],
      text: "Items of a page.")
  }

  static let cursor = Self(
    name: "cursor", schema: ["type": "string"],
    text: "The next_cursor of the page before, of the same list.")

  static func text(_ name: String, _ text: String) -> Self {
    Self(name: name, schema: ["type": "string"], text: text)
  }

  static func flag(_ name: String, default value: Bool, _ text: String) -> Self {
    Self(name: name, schema: ["type": "boolean", "default": .bool(value)], text: text)
  }
}
