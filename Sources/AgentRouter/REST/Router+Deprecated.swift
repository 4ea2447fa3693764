import Networking
import SessionsModel

/// What older clients of the public interface still ask (contract part 1, 1.3); backends only.
extension Router {
  func setInstructions(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    try call.requireBackend()
    _ = try await updateSession(id, call)
    return .noContent
  }

  func changeSettings(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    try call.requireBackend()
    return try await updateSession(id, call)
  }

  func answerAsBackend(_ id: String, _ call: APICall) async throws(APIError) -> HTTPResponse {
    try call.requireBackend()
    var response = try await createResponse(id, call)
    response.status = 200
    return response
  }
}
