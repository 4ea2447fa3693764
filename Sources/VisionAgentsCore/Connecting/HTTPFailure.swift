/// An error answered by the router.
public struct HTTPFailure: Error, Sendable, Hashable {
  public let status: Int
  /// A sentence for people.
  public let message: String
  /// The kind of error, such as `not_found`.
  public let type: String
  /// The precise error, such as `session_not_found`.
  public let code: String
  public let docURL: String
  /// The router's id of the request, to find it in its log.
  public let requestID: String

  public init(
    status: Int, message: String, type: String = "", code: String = "", docURL: String = "",
    requestID: String = ""
  ) {
    self.status = status
    self.message = message
    self.type = type
    self.code = code
    self.docURL = docURL
    self.requestID = requestID
  }
}

extension HTTPFailure: CustomStringConvertible {
  public var description: String {
    let name = code.isEmpty ? "HTTP \(status)" : "HTTP \(status), \(code)"
    let request = requestID.isEmpty ? "" : ", request \(requestID)"
    return "\(message) (\(name)\(request))"
  }
}
