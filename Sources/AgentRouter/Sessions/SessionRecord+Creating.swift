import Foundation
public import SessionsModel
public import Stores

extension SessionRecord {
  /// The record of a session that a caller opens with an agent.
  ///
  /// - Parameter id: the caller's own id, or a fresh UUIDv7.
  init(
    _ request: CreateSessionRequest, id: String, by caller: Caller, agent: AgentConfiguration,
    at time: Date
  ) {
    self.init(
      app: caller.app, id: id, owner: caller.owner, agent: agent.name, agentID: agent.name,
      createdAt: time)
    configID = request.configID
    incognito = request.incognito ?? false
    labels.title = request.title
    labels.description = request.description
    labels.projectID = request.projectID
    labels.custom = request.custom ?? [:]
    labels.tags = agent.tags
    // The project is a cost tag too, unless one of that name is given (R21, R23).
    if let project = request.projectID { labels.tags["project"] = project }
    labels.tags.merge(request.tags ?? [:]) { _, own in own }
    settings.models = request.modelOverwrites ?? ModelOverwrites()
    // An empty one asks for the usual way, whatever the agent's is (R37).
    let native = settings.models.sts ?? agent.sts
    settings.models.sts = native?.isEmpty == false ? native : nil
    settings.instructions = request.instructions
    settings.greeting = request.greeting
    settings.voice = request.voice
    settings.tools = request.tools ?? []
    settings.toolTimeoutMilliseconds = request.toolTimeoutMilliseconds ?? 0
    settings.further = request.further
    conversationID = agent.channel && !incognito ? "agent:\(agent.name)-\(id)" : nil
  }

  /// The record of a session that continues another; what is not named is the parent's (R141).
  init(
    forking parent: SessionRecord, _ request: ForkSessionRequest, id: String, by caller: Caller,
    agent: AgentConfiguration, at time: Date
  ) {
    let acting = caller.isBackend && caller.userID == nil ? parent.owner : caller.owner
    self.init(
      app: parent.app, id: id, owner: acting, agent: agent.name, agentID: agent.name,
      createdAt: time)
    configID =
      request.configID ?? (request.agent == nil ? parent.configID : nil)
    incognito = request.incognito ?? parent.incognito
    forkedFrom = parent.id
    labels = parent.labels
    if agent.name != parent.agent {
      labels.tags = agent.tags.merging(parent.labels.tags) { _, own in own }
    }
    if let title = request.title {
      labels.title = title
      labels.isTitleFrozen = false
    }
    if let description = request.description {
      labels.description = description
      labels.isDescriptionFrozen = false
    }
    if let project = request.projectID {
      if labels.tags["project"] == labels.projectID { labels.tags["project"] = project }
      labels.projectID = project
    }
    if let custom = request.custom { labels.custom = custom }
    settings = parent.settings
    settings.models.merge(request.modelOverwrites ?? ModelOverwrites())
    if let instructions = request.instructions { settings.instructions = instructions }
    conversationID = agent.channel && !incognito ? "agent:\(agent.name)-\(id)" : nil
  }

  /// Applies changes of labels; what is nil stays (R36). Titles given here stop the router's own
  /// naming (R43).
  public mutating func applyLabels(of request: UpdateSessionRequest) {
    if let title = request.title {
      labels.title = title
      labels.isTitleFrozen = true
    }
    if let description = request.description {
      labels.description = description
      labels.isDescriptionFrozen = true
    }
    if let custom = request.custom { labels.custom = custom }
  }

  /// Applies changes of models, voice and instructions; they hold from the next turn on (R33).
  public mutating func applySettings(of request: UpdateSessionRequest) {
    if let instructions = request.instructions { settings.instructions = instructions }
    if let llm = request.llm { settings.models.llm = llm }
    if let stt = request.stt { settings.models.stt = stt }
    if let tts = request.tts { settings.models.tts = tts }
    if let sts = request.sts { settings.models.sts = sts.isEmpty ? nil : sts }
    if let voice = request.voice { settings.voice = voice.isEmpty ? nil : voice }
    if let thinking = request.thinking { settings.models.thinking = thinking }
    if let temperature = request.temperature { settings.models.temperature = temperature }
    if let tokens = request.maxOutputTokens { settings.models.maxOutputTokens = tokens }
    if let verbosity = request.verbosity { settings.models.verbosity = verbosity }
  }
}
