import Providers
import SessionsModel
import Stores

/// A call whose turn was cut before its result came.
struct AbandonedCall {
  var call: ModelToolCall
  var turn: Turn
  /// Of the item that a late result becomes.
  var ordinal = 0
}

// What a tool did after its turn was cut still happened: the order was placed, and the next answer has
// to know of it, or it is placed once more.
extension LiveSession {
  /// Calls remembered for a late result.
  private static let abandonedAtMost = 64

  /// Takes a call back: the client is told to stop, a skill is stopped.
  func abandon(_ open: PendingTools.Call, of turn: Turn) {
    if let task = skillTasks.removeValue(forKey: open.call.id) {
      cancel(task, reason: "interrupted", of: turn)
      return
    }
    emit(.toolCancel, ["id": .string(open.call.id)], of: turn)
    abandonedCalls.append(AbandonedCall(call: open.call, turn: turn))
    if abandonedCalls.count > Self.abandonedAtMost { abandonedCalls.removeFirst() }
  }

  /// The turn of these calls is written down: what comes late is a further item of it.
  func closeAbandonedCalls(of state: ReplyState) {
    var ordinal = state.nextItem
    for index in abandonedCalls.indices where abandonedCalls[index].turn.id == state.turn.id {
      abandonedCalls[index].ordinal = ordinal
      ordinal += 1
    }
  }

  func takeLateResult(
    _ id: String, _ result: PendingTools.Result, from watcher: EventWatcher
  ) {
    guard let index = abandonedCalls.lastIndex(where: { $0.call.id == id }) else { return }
    let late = abandonedCalls[index]
    guard mayRun(late.call.name, watcher), history.settle(id, result.told) else { return }
    abandonedCalls.remove(at: index)
    emit(
      .toolRan,
      [
        "tool_call_id": .string(id), "tool": .string(late.call.name),
        "arguments": .string(late.call.arguments), "result": .string(result.output),
        "error": .string(result.error),
      ], of: late.turn)
    guard !late.turn.isUnrecorded else { return }
    var item = AgentResponseItem(
      responseID: late.turn.id, ordinal: late.ordinal, kind: .toolResult, at: now,
      text: result.told)
    item.toolName = late.call.name
    item.payload = ["id": .string(id), "error": .string(result.error), "late": true]
    item.sessionID = record.id
    writer.write([.item(item, record.key)])
  }
}
