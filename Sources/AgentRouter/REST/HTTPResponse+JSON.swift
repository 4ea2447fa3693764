import Networking
import SessionsModel

extension HTTPResponse {
  /// A response with a JSON body.
  init(status: Int = 200, json: JSONValue) {
    self.init(
      status: status, headers: ["Content-Type": "application/json"], body: json.serialized)
  }

  /// 204: done, nothing to say.
  static var noContent: HTTPResponse { HTTPResponse(status: 204) }

  init(_ error: APIError) {
    self.init(status: error.status, json: error.envelope.json)
    if let seconds = error.retryAfterSeconds { headers["Retry-After"] = String(seconds) }
  }
}
