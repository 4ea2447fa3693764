/// Why a body of the wire was refused; `code` is one of the contract's (part 2, "Errors").
public struct WireError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Code: String, Sendable {
    case invalidJSON = "invalid_json"
    case invalidUTF8 = "invalid_utf8"
    case invalidField = "invalid_field"
    case invalidID = "invalid_id"
    case unknownField = "unknown_field"
    case limitOutOfRange = "limit_out_of_range"
    case agentAndConfig = "agent_and_config"
    case textWithProject = "text_with_project"
    case messagesWithResponseID = "messages_with_response_id"
  }

  public var code: Code
  /// A sentence that names the field, the value and what is allowed.
  public var message: String

  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  public init(_ error: JSONParseError) {
    code = error.reason == .invalidUTF8 ? .invalidUTF8 : .invalidJSON
    message = "The body is not valid JSON: \(error)."
  }

  public var description: String { message }
}
