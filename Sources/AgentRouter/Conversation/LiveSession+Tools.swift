import Networking
import Providers
import SessionsModel
import Stores

// Has tools run by the client that declared them.
extension LiveSession {
  static let usualToolTimeout = Duration.seconds(30)

  /// The session's tools, then those of its agent with other names.
  private var sessionTools: [SessionTool] {
    let own = record.settings.tools
    return own + agent.tools.filter { tool in !own.contains { $0.name == tool.name } }
  }

  var offeredTools: [ModelTool] {
    sessionTools.map { tool in
      ModelTool(
        name: tool.name, description: tool.description,
        parameters: (tool.parameters ?? ["type": "object", "properties": [:]]).serializedText)
    } + agent.skills.map(\.offer)
  }

  func runTools(_ turnID: String, _ calls: [ModelToolCall]) {
    // All are known before one can be settled: the step ends with the last result.
    let added = calls.filter { call in
      tools.add(call, turnID: turnID, watcherID: runner(of: call.name)?.id)
    }
    for call in added {
      item(
        .toolCall, tool: call.name,
        payload: ["id": .string(call.id), "arguments": .string(call.arguments)])
    }
    for call in added { dispatch(call, turnID) }
  }

  private func dispatch(_ call: ModelToolCall, _ turnID: String) {
    if let skill = agent.skills.first(where: { $0.name == call.name }) {
      delegate(call, to: skill, turnID)
      return
    }
    guard let watcher = runner(of: call.name) else {
      let why =
        sessionTools.contains { $0.name == call.name }
        ? "no client that can run it is connected" : "this session has no such tool"
      settle(call.id, PendingTools.Result(output: "", error: why))
      return
    }
    watcher.offer(log.append(toolCallFrame(call, turnID: turnID)))
    emit(
      .toolStarted,
      [
        "tool_call_id": .string(call.id), "tool": .string(call.name),
        "started_at": timestampValue,
      ], of: reply?.turn)
    armToolLimit(call)
  }

  func toolCallFrame(_ call: ModelToolCall, turnID: String) -> Frame {
    var frame = Frame(
      .toolCall,
      [
        "id": .string(call.id), "name": .string(call.name), "arguments": .string(call.arguments),
        "turn_id": .string(turnID),
      ])
    if let request = reply?.turn.requestID { frame["request_id"] = .string(request) }
    return frame
  }

  /// A result from a client; one of a call nobody made, or of somebody who was not asked, is dropped
  /// silently.
  func takeToolResult(_ frame: Frame, from watcher: EventWatcher) {
    guard let id = frame["tool_call_id"]?.stringValue else { return }
    let result = PendingTools.Result(
      output: Self.text(of: frame["output"]), error: frame["error"]?.stringValue ?? "")
    if let call = tools.open.first(where: { $0.call.id == id }) {
      guard call.watcherID == watcher.id || mayRun(call.call.name, watcher) else { return }
      settle(id, result)
    } else {
      takeLateResult(id, result, from: watcher)
    }
  }

  /// A person's word on an open call: one that is not allowed is over, and the model is told why. An
  /// allowed one goes on where it runs.
  func takeApproval(_ frame: Frame, from watcher: EventWatcher) {
    guard let id = frame["tool_call_id"]?.stringValue, frame["allowed"]?.boolValue == false,
      let call = tools.open.first(where: { $0.call.id == id }),
      call.watcherID == watcher.id || mayRun(call.call.name, watcher)
    else { return }
    let summary = frame["summary"]?.stringValue ?? ""
    settle(
      id,
      PendingTools.Result(
        output: "", error: "the person did not allow it" + (summary.isEmpty ? "" : ": \(summary)")))
  }

  func settle(_ id: String, _ result: PendingTools.Result) {
    guard let call = tools.settle(id, result), let turn = reply?.turn, turn.id == call.turnID else {
      return
    }
    emit(
      .toolRan,
      [
        "tool_call_id": .string(id), "tool": .string(call.call.name),
        "arguments": .string(call.call.arguments), "result": .string(result.output),
        "error": .string(result.error),
      ], of: turn)
    item(
      .toolResult, text: result.told, tool: call.call.name,
      payload: ["id": .string(id), "error": .string(result.error)])
    guard tools.isSettled else { return }
    for call in tools.takeAll() {
      reply?.messages.append(
        ModelMessage(.tool, call.result?.told ?? "", toolCallID: call.call.id))
    }
    perform(turns.toolsSettled(turn.id))
  }

  private func armToolLimit(_ call: ModelToolCall) {
    let own = record.settings.toolTimeoutMilliseconds
    let limit = own > 0 ? Duration.milliseconds(own) : Self.usualToolTimeout
    let id = call.id
    runtime.task {
      // Only a cancelled task wakes early, and nobody cancels this one.
      try? await self.runtime.sleep(for: limit)
      await self.toolLimitPassed(id, limit)
    }
  }

  private func toolLimitPassed(_ id: String, _ limit: Duration) {
    settle(
      id,
      PendingTools.Result(
        output: "", error: "it did not answer within \(limit.milliseconds) ms"))
  }

  /// The watcher that declared the tool, the newest first; without declarations the one that
  /// came first, which is the creator's.
  func runner(of tool: String) -> EventWatcher? {
    if let declared = watchers.last(where: { $0.declaredTools.contains(tool) }) { return declared }
    return watchers.first { mayRun(tool, $0) }
  }

  /// Who may be asked to run a tool: who declared it; and, of those who declared nothing, the
  /// session's owner, whose request to open the session named it.
  func mayRun(_ tool: String, _ watcher: EventWatcher) -> Bool {
    if watcher.declaredTools.contains(tool) { return true }
    return watcher.declaredTools.isEmpty && watcher.caller.owner == record.owner
      && record.settings.tools.contains { $0.name == tool }
  }

  /// A result's text: the public interface also allows a list of parts.
  private static func text(of output: JSONValue?) -> String {
    switch output {
    case nil, .null: ""
    case .string(let text): text
    case .array(let parts): parts.compactMap { $0["text"]?.stringValue }.joined(separator: "\n")
    case .some(let value): value.serializedText
    }
  }
}
