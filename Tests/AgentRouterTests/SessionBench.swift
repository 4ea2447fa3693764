import Foundation
import Networking
import Providers
import SessionsModel
import Simulation
import Stores
import Testing

@testable import AgentRouter

/// One live session with scripted providers and a store in memory.
struct SessionBench: Sendable {
  let runtime: SimulatedRuntime
  let store: MemoryStore
  let model: ScriptedLanguageModel
  let voice: ScriptedTextToSpeech
  let media: MediaPlane?
  let session: LiveSession

  init(
    _ runtime: SimulatedRuntime, answers: [String: String] = [:], lines: [String] = [],
    modelFaults: [Int: ProviderFault] = [:], recogniserFaults: [Int: ProviderFault] = [:],
    voiceFaults: [Int: ProviderFault] = [:], recogniser: (any SpeechToText)? = nil,
    modelDelay: Duration = .milliseconds(60), wordsBeforeCall: String = "",
    tools: [SessionTool] = [], hasMedia: Bool = false,
    change: (inout AgentConfiguration) -> Void = { _ in }
  ) async throws {
    self.runtime = runtime
    store = MemoryStore(executor: runtime.executor)
    model = ScriptedLanguageModel(
      runtime: runtime, answers: answers, firstToken: modelDelay,
      wordsBeforeCall: wordsBeforeCall,
      faults: FaultPlan(modelFaults))
    voice = ScriptedTextToSpeech(runtime: runtime, faults: FaultPlan(voiceFaults))
    var providers = ProviderRegistry()
    providers.add(model, named: "scripted")
    providers.add(voice, named: "scripted")
    providers.add(
      recogniser
        ?? ScriptedSpeechToText(
          runtime: runtime, lines: lines, faults: FaultPlan(recogniserFaults)),
      named: "scripted")
    media =
      hasMedia ? try MediaPlane(runtime: runtime, vadWeightsPath: nil, hasThread: false) : nil
    var agent = AgentConfiguration(name: "helper", instructions: "Be brief.")
    change(&agent)
    var record = SessionRecord(
      app: "app", id: "s1", owner: SessionOwner(kind: .user, userID: "ann"), agent: "helper",
      agentID: "helper", createdAt: runtime.timestamp)
    record.settings.tools = tools
    record.conversationID = "agent:helper-s1"
    try await store.commit([.create(record)])
    session = LiveSession(
      record: record, agent: agent, history: [],
      environment: RouterEnvironment(
        runtime: runtime, store: store,
        configuration: RouterConfiguration(apps: [], agents: [agent], defaultAgent: "helper"),
        providers: providers, media: media))
  }

  /// A watcher of the session's user, speaking version 2.
  func watch(_ id: String = "w1", tools: Set<String> = []) async -> FrameReader {
    var options = WatchOptions()
    options.isVersion2 = true
    options.interim = true
    let watcher = EventWatcher(
      id: id, caller: Caller(app: "app", kind: .device, userID: "ann"), options: options)
    watcher.declaredTools = tools
    await session.attach(watcher, resumingAfter: nil, stream: nil)
    return FrameReader(watcher: watcher)
  }

  func ask(_ text: String, id: String? = nil) async throws -> AgentResponse {
    try await session.createResponse(CreateResponseRequest(text: text, requestID: id))
  }

  /// The turns as they are stored.
  func storedTurns() async -> [TurnRecord] {
    await store.turns(of: SessionKey(app: "app", id: "s1"), .all).map(\.value)
  }
}

/// Reads a watcher's frames one by one.
struct FrameReader: Sendable {
  let watcher: EventWatcher

  /// Frames up to and with the first of a type.
  func until(_ type: FrameType) async -> [Frame] {
    await until { $0.type == type }
  }

  func until(_ isLast: (Frame) -> Bool) async -> [Frame] {
    var frames: [Frame] = []
    while let step = await watcher.next() {
      guard case .send(let frame) = step else { break }
      frames.append(frame)
      if isLast(frame) { break }
    }
    return frames
  }
}

extension [Frame] {
  /// The types in order, without those that only accompany others.
  var story: [String] {
    filter {
      $0.type != .sessionState && $0.type != .messageNew && $0.type != .messageUpdated
        && $0.type != .callLevels
    }
    .map(\.type.rawValue)
    .reduce(into: []) { story, type in
      if story.last != type || type != "response_delta" { story.append(type) }
    }
  }

  func first(_ type: FrameType) -> Frame? { first { $0.type == type } }

  /// The states that `session_state` reported.
  var states: [String] {
    filter { $0.type == .sessionState }.compactMap { $0["state"]?.stringValue }
  }

  /// The text of all deltas.
  var text: String {
    filter { $0.type == .responseDelta }.compactMap { $0["text"]?.stringValue }.joined()
  }
}
