import SessionsModel

extension Route {
  private typealias Answer = OpenAPIOperation.Answer

  /// The description of the route; exhaustive, so that none can be added without one.
  var operation: OpenAPIOperation {
    switch self {
    case .health, .openAPI, .listConfigs, .getModelRoute: discovery
    case .createSession, .querySessions, .getSession, .updateSession, .deleteSession, .stopSession,
      .startSessionVoice, .stopSessionVoice:
      sessions
    case .listResponses, .createResponse, .listResponseItems, .say, .interrupt: responses
    case .forkSession, .rewindSession, .listMemories, .forgetMemories, .getUsage,
      .setInstructions, .changeSettings, .respond, .getCommand, .interruptCommand:
      keeping
    case .getChannel, .listMessages, .writeMessage: channel
    case .watchSession, .openMedia: sockets
    case .createPairing, .redeemPairing: pairing
    }
  }

  private var discovery: OpenAPIOperation {
    switch self {
    case .health:
      OpenAPIOperation(
        summary: "Whether every kind of provider has somebody to ask", access: .everyone,
        answers: [
          Answer(status: 200, text: "All is well", schema: "Health"),
          Answer(status: 503, text: "Something is missing", schema: "Health"),
        ])
    case .openAPI:
      OpenAPIOperation(
        summary: "This description", access: .everyone,
        answers: [Answer(status: 200, text: "The description", schema: "Object")])
    case .listConfigs:
      OpenAPIOperation(
        summary: "The agents of the router", access: .backend,
        query: [.text("name", "Only the agent of this name.")],
        answers: [Answer(status: 200, text: "The agents", schema: "AgentConfigs")])
    default:
      OpenAPIOperation(
        summary: "Whether a model's name leads to a provider", access: .backend,
        answers: [Answer(status: 200, text: "It does", schema: "ModelRoute")],
        errors: [.agentNotFound])
    }
  }

  private var sessions: OpenAPIOperation {
    let session = Answer(status: 200, text: "The session", schema: "Session")
    switch self {
    case .createSession:
      return OpenAPIOperation(
        summary: "Open a session", request: "CreateSessionRequest", isRequestOptional: true,
        answers: [Answer(status: 201, text: "The new session", schema: "Session")],
        errors: [
          .invalidID, .agentAndConfig, .agentNotFound, .unroutableModel, .sessionExists,
          .voiceUnavailable, .rateLimited,
        ])
    case .querySessions:
      return OpenAPIOperation(
        summary: "Sessions that match a filter, ended ones too", request: "SessionQuery",
        isRequestOptional: true,
        answers: [Answer(status: 200, text: "A page", schema: "SessionPage")],
        errors: [.textWithProject, .invalidCursor, .limitOutOfRange])
    case .getSession:
      return OpenAPIOperation(
        summary: "One session, running or ended", answers: [session], errors: [.sessionNotFound])
    case .updateSession:
      return OpenAPIOperation(
        summary: "Change a session; a device may change title, description and custom",
        request: "UpdateSessionRequest", isRequestOptional: true, answers: [session],
        errors: [.sessionNotFound, .fieldServerOnly, .unroutableModel, .sessionEnded])
    case .deleteSession:
      return OpenAPIOperation(
        summary: "End a session and remove everything kept of it",
        answers: [Answer(status: 204, text: "It is gone")], errors: [.sessionNotFound])
    case .stopSession:
      return OpenAPIOperation(
        summary: "End a session and keep it", answers: [Answer(status: 204, text: "It has ended")],
        errors: [.sessionNotFound])
    case .startSessionVoice:
      return OpenAPIOperation(
        summary: "The agent joins the session's call", answers: [session],
        errors: [.sessionNotFound, .agentNotFound, .voiceUnavailable])
    default:
      return OpenAPIOperation(
        summary: "The agent leaves the call and goes on in writing", answers: [session],
        errors: [.sessionNotFound])
    }
  }

  private var responses: OpenAPIOperation {
    let done = Answer(status: 204, text: "Done")
    switch self {
    case .listResponses:
      return OpenAPIOperation(
        summary: "The turns of a session, oldest first", query: [.limit(200), .cursor],
        answers: [Answer(status: 200, text: "A page", schema: "AgentResponsePage")],
        errors: [.sessionNotFound, .invalidCursor, .limitOutOfRange])
    case .createResponse:
      return OpenAPIOperation(
        summary: "Ask the agent something", request: "CreateResponseRequest",
        answers: [
          Answer(status: 202, text: "The turn has started", schema: "AgentResponse"),
          Answer(status: 200, text: "The same request came before", schema: "AgentResponse"),
        ],
        errors: [
          .sessionNotFound, .agentNotFound, .invalidID, .responseInProgress, .commandConflict,
          .sessionEnded, .rateLimited,
        ])
    case .listResponseItems:
      return OpenAPIOperation(
        summary: "What happened in the turns of a session, oldest first",
        query: [.text("response_id", "Only items of this turn."), .limit(1000), .cursor],
        answers: [Answer(status: 200, text: "A page", schema: "AgentResponseItemPage")],
        errors: [.sessionNotFound, .invalidCursor, .limitOutOfRange])
    case .say:
      return OpenAPIOperation(
        summary: "Say a text as it is, without the model", access: .backend, request: "SayRequest",
        answers: [done], errors: [.sessionNotFound, .sessionEnded])
    default:
      return OpenAPIOperation(
        summary: "Cut the agent off", access: .backend, request: "InterruptRequest",
        isRequestOptional: true, answers: [done], errors: [.sessionNotFound])
    }
  }

  private var channel: OpenAPIOperation {
    let errors: [APIError.Code] = [.sessionNotFound, .channelNotFound]
    switch self {
    case .getChannel:
      return OpenAPIOperation(
        summary: "The transcript channel with its first messages", query: [.limit(200), .cursor],
        answers: [Answer(status: 200, text: "The channel", schema: "Channel")],
        errors: errors + [.invalidCursor, .limitOutOfRange])
    case .listMessages:
      return OpenAPIOperation(
        summary: "The messages of the transcript, oldest first", query: [.limit(200), .cursor],
        answers: [Answer(status: 200, text: "A page", schema: "TranscriptMessagePage")],
        errors: errors + [.invalidCursor, .limitOutOfRange])
    default:
      return OpenAPIOperation(
        summary: "Write into the transcript; the agent does not answer it",
        request: "WriteMessageRequest",
        answers: [Answer(status: 201, text: "The message", schema: "TranscriptMessage")],
        errors: errors)
    }
  }

  private var pairing: OpenAPIOperation {
    guard self == .createPairing else {
      return OpenAPIOperation(
        summary: "Trade the proof of a code for a user's token", access: .everyone,
        request: "RedeemPairingRequest",
        answers: [Answer(status: 200, text: "The token", schema: "PairedDevice")],
        errors: [.pairingNotFound, .rateLimited, .tooLarge])
    }
    return OpenAPIOperation(
      summary: "A code that pairs a device with a user", access: .backend,
      request: "CreatePairingRequest",
      answers: [Answer(status: 201, text: "The code", schema: "PairingOffer")])
  }

  private var sockets: OpenAPIOperation {
    let opened = Answer(status: 101, text: "A WebSocket")
    guard self == .watchSession else {
      return OpenAPIOperation(
        summary: "The call's media where UDP is blocked (WebSocket)", access: .everyone,
        query: [.text("token", "What call.joined gave; good once.")], answers: [opened],
        errors: [.unauthenticated, .sessionNotFound, .routeNotFound])
    }
    return OpenAPIOperation(
      summary: "Everything that happens in the session, and its commands (WebSocket)",
      query: [
        .text("token", "The token, where no header can be sent."),
        .flag("interim", default: false, "Also captions that may still change."),
        .flag("decisions", default: true, "Also why the agent did what it did."),
        .flag("channel", default: false, "Also messages of the transcript."),
        .flag("replay_pending_tools", default: false, "Tool calls that are still open, first."),
        .text("tools", "Names of the tools this watcher runs, separated by commas."),
        .text("v", "2 for numbered frames, snapshot and session_state."),
        OpenAPIOperation.Parameter(
          name: "after", schema: ["type": "integer", "minimum": 0],
          text: "The seq of the frame seen last."),
        .text("stream", "The stream that frame was of."),
      ], answers: [opened],
      errors: [.sessionNotFound, .invalidField, .routeNotFound])
  }
}
