extension APIError {
  /// The contract's codes; each belongs to one type and one HTTP status.
  public enum Code: String, Sendable, CaseIterable {
    case invalidID = "invalid_id"
    case invalidField = "invalid_field"
    case unknownField = "unknown_field"
    case textWithProject = "text_with_project"
    case invalidCursor = "invalid_cursor"
    case limitOutOfRange = "limit_out_of_range"
    case messagesWithResponseID = "messages_with_response_id"
    case unroutableModel = "unroutable_model"
    case agentAndConfig = "agent_and_config"

    case unauthenticated
    case tokenExpired = "token_expired"
    case tokenNotYetValid = "token_not_yet_valid"
    case badSignature = "bad_signature"

    case serverOnly = "server_only"
    case fieldServerOnly = "field_server_only"

    case sessionNotFound = "session_not_found"
    case agentNotFound = "agent_not_found"
    case responseNotFound = "response_not_found"
    case channelNotFound = "channel_not_found"
    /// No pairing code fits what a device sent.
    case pairingNotFound = "pairing_not_found"
    /// A path or method this router does not have.
    case routeNotFound = "route_not_found"

    case invalidJSON = "invalid_json"
    case invalidUTF8 = "invalid_utf8"
    case tooLarge = "too_large"

    case sessionExists = "session_exists"
    case responseInProgress = "response_in_progress"
    case commandConflict = "command_conflict"

    case forkIncognito = "fork_incognito"
    case rewindIncognito = "rewind_incognito"
    case rewindNative = "rewind_native"
    case rewindChannel = "rewind_channel"
    case sessionEnded = "session_ended"
    case voiceOff = "voice_off"
    case voiceUnavailable = "voice_unavailable"

    case rateLimited = "rate_limited"
    case internalError = "internal_error"
    case dependency

    public var type: String {
      switch self {
      case .invalidID, .invalidField, .unknownField, .textWithProject, .invalidCursor,
        .limitOutOfRange, .messagesWithResponseID, .unroutableModel, .agentAndConfig:
        "invalid_request"
      case .unauthenticated, .tokenExpired, .tokenNotYetValid, .badSignature: "authentication"
      case .serverOnly, .fieldServerOnly: "permission"
      case .sessionNotFound, .agentNotFound, .responseNotFound, .channelNotFound, .routeNotFound,
        .pairingNotFound:
        "not_found"
      case .invalidJSON, .invalidUTF8, .tooLarge: "payload"
      case .sessionExists, .responseInProgress, .commandConflict: "conflict"
      case .forkIncognito, .rewindIncognito, .rewindNative, .rewindChannel, .sessionEnded,
        .voiceOff, .voiceUnavailable:
        "refused"
      case .rateLimited: "rate_limited"
      case .internalError: "internal"
      case .dependency: "unavailable"
      }
    }

    public var status: Int {
      switch self {
      case .tooLarge: return 413
      // Public clients expect 400 for what can never be done to this session.
      case .forkIncognito, .rewindIncognito, .rewindNative, .rewindChannel: return 400
      default: break
      }
      switch type {
      case "invalid_request", "payload": return 400
      case "authentication": return 401
      case "permission": return 403
      case "not_found": return 404
      case "conflict", "refused": return 409
      case "rate_limited": return 429
      case "unavailable": return 503
      default: return 500
      }
    }
  }
}
