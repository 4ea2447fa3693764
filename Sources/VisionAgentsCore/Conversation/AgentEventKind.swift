extension AgentEvent {
  /// The events by name (contract part 1, 1.5, and part 2).
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The session opened.
    case joined
    case participantJoined = "participant_joined"
    case participantLeft = "participant_left"
    /// What the caller is saying, as far as it is understood yet.
    case hearing
    /// What the caller said.
    case heard
    case decision
    case responding
    /// A fragment of the answer.
    case responseDelta = "response_delta"
    /// The model has finished; on a call the reply may still be heard.
    case responded
    /// A piece of the reply was synthesized and sent.
    case spoke
    /// The turn's timings.
    case turn
    case delegated
    case taskSettled = "task_settled"
    case taskCancelled = "task_cancelled"
    case toolCall = "tool_call"
    case toolStarted = "tool_started"
    case toolRan = "tool_ran"
    case toolCancel = "tool_cancel"
    case transferred
    case pressed
    case lookedUp = "looked_up"
    case backchannel
    case interrupted
    case overlapDecided = "overlap_decided"
    case conversationCompacted = "conversation_compacted"
    case modelsChanged = "models_changed"
    case sessionState = "session_state"
    /// The session was named: `title`, `description`.
    case sessionUpdated = "session_updated"
    /// Everything after the response in `response_id` is forgotten.
    case rewound
    case messageNew = "message.new"
    case messageUpdated = "message.updated"
    /// The device's speaker has finished the reply.
    case heardOut = "heard_out"
    /// The socket opened or came back; `gap` says that events were missed.
    case snapshot
    case interruptIgnored = "interrupt_ignored"
    case commandAccepted = "command_accepted"
    case commandStopped = "command_stopped"
    case conversationUpdated = "conversation_updated"
    case error
    /// The session ended.
    case left
  }
}
