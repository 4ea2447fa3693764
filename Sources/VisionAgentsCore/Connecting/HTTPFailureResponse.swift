import Networking
import SessionsModel

extension HTTPFailure {
  /// The error a response says, whichever router sent it.
  init(_ response: HTTPResponse) {
    let envelope = ErrorEnvelope(status: response.status, body: response.body)
    self.init(
      status: response.status, message: envelope.message, type: envelope.type,
      code: envelope.code, docURL: envelope.docURL,
      requestID: response.headers["X-Request-Id"] ?? "")
  }
}
