import SessionsModel

/// Who is on the call, and who speaks. A value.
///
/// The agent counts as speaking while this device's playout clock says that it is heard; what the
/// router reports of levels is for other people on the call.
struct CallRoster: Sendable, Hashable {
  private(set) var participants: [CallParticipant] = []
  private var localID = ""
  private var agentID = ""

  var local: CallParticipant? { participants.first { $0.id == localID } }
  var remote: [CallParticipant] { participants.filter { $0.id != localID } }

  /// The loudest of those who speak; the agent before anybody else.
  var dominantSpeaker: CallParticipant? {
    participants.filter(\.isSpeaking).max { left, right in
      (left.id == agentID ? 2 : left.audioLevel) < (right.id == agentID ? 2 : right.audioLevel)
    }
  }

  /// Takes `call.joined`.
  ///
  /// - Parameters:
  ///   - agent: who the agent is when the router does not list it.
  ///   - user: this device's user.
  mutating func joined(_ frame: Frame, agent: CallParticipant, user: User?) {
    let before = participants
    localID = frame["participant_id"]?.stringValue ?? "local"
    participants = (frame["participants"]?.arrayValue ?? []).compactMap(CallParticipant.init)
    if local == nil {
      participants.append(
        CallParticipant(id: localID, userID: user?.id ?? "", name: user?.name ?? ""))
    }
    let known = remote.first { $0.id == agent.id || $0.userID == agent.userID }
    if known == nil { participants.append(agent) }
    agentID = known?.id ?? agent.id
    // A device that comes back goes on as it was: what it plays did not stop.
    for index in participants.indices {
      guard let old = before.first(where: { $0.id == participants[index].id }) else { continue }
      participants[index].isSpeaking = old.isSpeaking
      participants[index].audioLevel = old.audioLevel
    }
  }

  /// Takes `call.participant_joined`, `_left` or `_updated`.
  mutating func changed(_ frame: Frame) {
    guard let json = frame["participant"], let changed = CallParticipant(json) else { return }
    let index = participants.firstIndex { $0.id == changed.id }
    switch (frame.type, index) {
    case (.callParticipantLeft, let index?) where changed.id != localID && changed.id != agentID:
      participants.remove(at: index)
    case (.callParticipantJoined, nil), (.callParticipantUpdated, nil):
      participants.append(changed)
    case (_, let index?):
      participants[index].isMuted = changed.isMuted
    case (_, nil):
      break
    }
  }

  /// Takes `call.levels`, for those who are neither this device nor the agent.
  mutating func levels(_ frame: Frame) {
    for level in frame["levels"]?.arrayValue ?? [] {
      guard
        let id = level["participant_id"]?.stringValue, id != localID, id != agentID,
        let index = participants.firstIndex(where: { $0.id == id })
      else { continue }
      participants[index].audioLevel = Float(level["level"]?.doubleValue ?? 0)
      participants[index].isSpeaking = level["is_speaking"]?.boolValue ?? false
    }
  }

  /// This device's own meters.
  mutating func levels(microphone: Float, speaker: Float) {
    update(localID) { $0.audioLevel = microphone }
    update(agentID) { $0.audioLevel = speaker }
  }

  mutating func agentSpeaks(_ isSpeaking: Bool) {
    update(agentID) { $0.isSpeaking = isSpeaking }
  }

  mutating func localSpeaks(_ isSpeaking: Bool) {
    update(localID) { $0.isSpeaking = isSpeaking && !$0.isMuted }
  }

  mutating func localMuted(_ isMuted: Bool) {
    update(localID) { local in
      local.isMuted = isMuted
      if isMuted { local.isSpeaking = false }
    }
  }

  private mutating func update(_ id: String, _ change: (inout CallParticipant) -> Void) {
    guard let index = participants.firstIndex(where: { $0.id == id }) else { return }
    change(&participants[index])
  }
}
