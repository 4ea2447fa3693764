import SessionsModel
import Stores

extension SessionRecord {
  /// The session as the wire shows it to a caller.
  ///
  /// - Parameter agent: its configuration, for the models a running session uses; nil when the
  ///   agent is no longer configured.
  func body(for caller: Caller, agent configuration: AgentConfiguration?) -> SessionBody {
    var body = SessionBody(
      id: id, agentID: agentID, userID: owner.userID, state: state, modality: modality,
      createdAt: createdAt)
    body.agent = agent
    body.configID = configID
    body.callID = isVoiceOn ? id : ""
    body.mode = settings.models.sts != nil ? .native : isVoiceOn ? .cascade : .text
    body.updatedAt = updatedAt
    body.lastResponseAt = lastResponseAt
    body.closedAt = closedAt
    body.title = labels.title
    body.description = labels.description
    body.custom = labels.custom
    body.projectID = labels.projectID
    body.forkedFrom = forkedFrom
    body.incognito = incognito
    body.instructions = settings.instructions
    body.modelOverwrites = settings.models.isEmpty ? nil : settings.models
    body.conversationID = conversationID ?? ""
    if state == .live, let configuration {
      body.llm = settings.models.llm ?? configuration.llm
      body.stt = settings.models.stt ?? configuration.stt
      body.tts = settings.models.tts ?? configuration.tts
      body.sts = settings.models.sts
      body.voice = settings.voice ?? configuration.voice
    }
    if caller.isBackend, state == .ended {
      body.usage = usage
      body.reviewScore = reviewScore
      body.reviewNotes = reviewNotes
    }
    return body
  }
}
