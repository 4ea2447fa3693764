/// The `type` of an events socket's frame; any other text is a type this version does not know.
public struct FrameType: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
  public var rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  public init(stringLiteral value: String) {
    rawValue = value
  }
}

// Server to client (contract part 1, 1.5).
extension FrameType {
  public static let joined: Self = "joined"
  public static let left: Self = "left"
  public static let participantJoined: Self = "participant_joined"
  public static let participantLeft: Self = "participant_left"
  public static let hearing: Self = "hearing"
  public static let heard: Self = "heard"
  public static let decision: Self = "decision"
  public static let responding: Self = "responding"
  public static let responseDelta: Self = "response_delta"
  public static let responded: Self = "responded"
  public static let spoke: Self = "spoke"
  public static let turn: Self = "turn"
  public static let toolCall: Self = "tool_call"
  public static let toolCancel: Self = "tool_cancel"
  public static let toolStarted: Self = "tool_started"
  public static let toolRan: Self = "tool_ran"
  public static let delegated: Self = "delegated"
  public static let taskSettled: Self = "task_settled"
  public static let taskCancelled: Self = "task_cancelled"
  public static let backchannel: Self = "backchannel"
  public static let interrupted: Self = "interrupted"
  public static let overlapDecided: Self = "overlap_decided"
  public static let lookedUp: Self = "looked_up"
  public static let transferred: Self = "transferred"
  public static let pressed: Self = "pressed"
  public static let conversationCompacted: Self = "conversation_compacted"
  public static let modelsChanged: Self = "models_changed"
  public static let commandAccepted: Self = "command_accepted"
  public static let commandStopped: Self = "command_stopped"
  public static let conversationUpdated: Self = "conversation_updated"
  public static let error: Self = "error"
  public static let heardOut: Self = "heard_out"
}

// Server to client, ours (contract part 2 and 3).
extension FrameType {
  public static let snapshot: Self = "snapshot"
  public static let sessionState: Self = "session_state"
  /// The session was named or renamed: `title`, `description`.
  public static let sessionUpdated: Self = "session_updated"
  /// Everything after `response_id` is forgotten.
  public static let rewound: Self = "rewound"
  public static let interruptIgnored: Self = "interrupt_ignored"
  public static let messageNew: Self = "message.new"
  public static let messageUpdated: Self = "message.updated"
  public static let callJoined: Self = "call.joined"
  public static let callFlush: Self = "call.flush"
  public static let callResume: Self = "call.resume"
  public static let callParticipantJoined: Self = "call.participant_joined"
  public static let callParticipantLeft: Self = "call.participant_left"
  public static let callParticipantUpdated: Self = "call.participant_updated"
  public static let callLevels: Self = "call.levels"
  public static let callEnded: Self = "call.ended"
  public static let callError: Self = "call.error"
}

// Client to server (contract part 1, 1.6, and part 3).
extension FrameType {
  public static let respond: Self = "respond"
  public static let say: Self = "say"
  public static let interrupt: Self = "interrupt"
  public static let instructions: Self = "instructions"
  public static let close: Self = "close"
  public static let toolResult: Self = "tool_result"
  public static let toolApproval: Self = "tool_approval"
  public static let callJoin: Self = "call.join"
  public static let callLeave: Self = "call.leave"
  public static let callMute: Self = "call.mute"
  public static let callPlayed: Self = "call.played"
  public static let callBargein: Self = "call.bargein"
  public static let callStatus: Self = "call.status"
}
