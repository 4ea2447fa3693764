import SessionsModel
import Stores

/// Going back to a response (R145 to R148).
enum Rewinding {
  /// - Throws: why the session has no history that can be cut; it can be forked there instead.
  static func check(_ record: SessionRecord) throws(APIError) {
    if record.incognito {
      throw APIError(
        .rewindIncognito, "An incognito session records nothing that could be gone back to.")
    }
    if record.settings.models.sts != nil {
      throw APIError(
        .rewindNative,
        "A speech-to-speech model keeps the conversation to itself; fork it at the response.")
    }
    if record.conversationID != nil {
      throw APIError(
        .rewindChannel,
        "The session's channel would bring the later turns back; fork it at the response.")
    }
  }

  /// Splits turns, oldest first, behind a response.
  ///
  /// - Throws: `response_not_found` when none of them is it.
  static func split(
    _ turns: [TurnRecord], behind responseID: String
  ) throws(APIError) -> (kept: [TurnRecord], later: [TurnRecord]) {
    guard let index = turns.firstIndex(where: { $0.id == responseID }) else {
      throw .responseNotFound(responseID)
    }
    return (Array(turns[...index]), Array(turns[(index + 1)...]))
  }

  static func changes(_ later: [TurnRecord], _ key: SessionKey) -> [StoreChange] {
    later.map { turn in
      var turn = turn
      turn.isRewound = true
      return .turn(turn, key)
    }
  }
}

extension APIError {
  static func responseNotFound(_ id: String) -> APIError {
    APIError(.responseNotFound, "The session has no response with the id \(id).")
  }
}
