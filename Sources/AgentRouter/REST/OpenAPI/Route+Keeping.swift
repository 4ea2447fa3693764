import SessionsModel

extension Route {
  private typealias Answer = OpenAPIOperation.Answer

  /// Forks, rewinding, memories, costs, and what only older clients ask.
  var keeping: OpenAPIOperation {
    let done = Answer(status: 204, text: "Done")
    let refused: [APIError.Code] = [.sessionNotFound, .sessionEnded, .unroutableModel]
    switch self {
    case .forkSession:
      return OpenAPIOperation(
        summary: "Continue a session as a new one, in writing", request: "ForkSessionRequest",
        isRequestOptional: true,
        answers: [Answer(status: 201, text: "The new session", schema: "Session")],
        errors: [
          .sessionNotFound, .agentNotFound, .agentAndConfig, .unroutableModel, .responseNotFound,
          .responseInProgress, .messagesWithResponseID, .forkIncognito,
        ])
    case .rewindSession:
      return OpenAPIOperation(
        summary: "Go back to a response, as though nothing after it was said",
        request: "RewindRequest", answers: [done],
        errors: [
          .sessionNotFound, .responseNotFound, .responseInProgress, .sessionEnded,
          .rewindIncognito, .rewindNative, .rewindChannel,
        ])
    case .listMemories:
      return OpenAPIOperation(
        summary: "What the session taught about its user", access: .backend,
        answers: [Answer(status: 200, text: "The facts", schema: "Memories")],
        errors: [.sessionNotFound])
    case .forgetMemories:
      return OpenAPIOperation(
        summary: "Forget what the session taught, and keep it", access: .backend,
        answers: [done], errors: [.sessionNotFound])
    case .getUsage:
      return OpenAPIOperation(
        summary: "What models cost, by user, agent, project or any tag; in whole hours",
        access: .backend,
        query: [
          .text("group_by", "user, agent, project or tag:NAME; one total without it."),
          OpenAPIOperation.Parameter(
            name: "since", schema: OpenAPISchemas.timeOrNothing, text: "From the hour this lies in."
          ),
          OpenAPIOperation.Parameter(
            name: "until", schema: OpenAPISchemas.timeOrNothing,
            text: "Up to the hour that begins here."),
          .text("for_user", "Only what this user's sessions cost."),
          OpenAPIOperation.Parameter(
            name: "limit",
            schema: ["type": "integer", "minimum": 1, "maximum": 1000, "default": 1000],
            text: "Sums at most, the dearest first."),
        ],
        answers: [Answer(status: 200, text: "The sums", schema: "UsageTotals")],
        errors: [.invalidField, .limitOutOfRange])
    case .getCommand, .interruptCommand:
      return OpenAPIOperation(
        summary: self == .getCommand
          ? "What came of a request with an id of the client's own"
          : "Stop the reply to such a request; one that is over stays as it is",
        access: .backend,
        answers: [Answer(status: 200, text: "The command", schema: "AgentCommand")],
        errors: [.sessionNotFound, .responseNotFound, .invalidID, .sessionEnded])
    case .setInstructions:
      return OpenAPIOperation(
        summary: "Change the instructions (deprecated)", access: .backend,
        request: "UpdateSessionRequest", isRequestOptional: true, answers: [done],
        errors: refused)
    case .changeSettings:
      return OpenAPIOperation(
        summary: "Change the settings (deprecated)", access: .backend,
        request: "UpdateSessionRequest", isRequestOptional: true,
        answers: [Answer(status: 200, text: "The session", schema: "Session")], errors: refused)
    default:
      return OpenAPIOperation(
        summary: "Ask the agent something (deprecated)", access: .backend,
        request: "CreateResponseRequest",
        answers: [Answer(status: 200, text: "The turn has started", schema: "AgentResponse")],
        errors: [
          .sessionNotFound, .agentNotFound, .invalidID, .responseInProgress, .commandConflict,
          .sessionEnded,
        ])
    }
  }
}
