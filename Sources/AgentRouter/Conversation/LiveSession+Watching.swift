import Providers
public import SessionsModel
import Stores

extension LiveSession {
  /// Adds a watcher: it gets the snapshot, what it missed, and from then on everything.
  public func attach(_ watcher: EventWatcher, resumingAfter: UInt64?, stream: String?) {
    let resumption = log.resume(after: resumingAfter, stream: stream)
    var snapshot = Frame(.snapshot, fold.snapshotFields, seq: log.lastSequence)
    snapshot["session"] = record.body(for: watcher.caller, agent: agent).json
    snapshot["stream"] = .string(log.stream)
    snapshot["gap"] = .bool(resumption.gap)
    watcher.offer(snapshot)
    watcher.replay(resumption.frames.filter { isFor(watcher, $0) })
    watchers.append(watcher)
    guard watcher.options.replaysPendingTools else { return }
    let open = tools.open.filter { runner(of: $0.call.name)?.id == watcher.id }
    watcher.replay(open.map { toolCallFrame($0.call, turnID: $0.turnID) })
  }

  /// Takes a watcher away; a device of its keeps its place on the call for 30 s.
  public func detach(_ watcher: EventWatcher, normally: Bool) {
    watchers.removeAll { $0.id == watcher.id }
    for member in room.lost(watcherID: watcher.id) {
      if normally {
        removeFromCall(member.id, reason: nil)
      } else {
        endAbsence(of: member)
      }
    }
  }

  /// Carries out a command of the events socket; a mistake is answered with an `error` frame.
  public func handle(command: JSONValue, from watcher: EventWatcher) async {
    guard let frame = Frame(json: command) else {
      refuse(
        watcher, APIError(.invalidJSON, "A command is a JSON object with a type."), requestID: nil)
      return
    }
    let requestID = (frame["request_id"] ?? frame["command_id"])?.stringValue
    do throws(APIError) {
      switch frame.type {
      case .respond:
        var request = CreateResponseRequest(
          text: frame["text"]?.stringValue ?? "", requestID: requestID)
        request.isCommand = frame["request_id"] == nil && frame["command_id"] != nil
        request.images = frame["images"]?.arrayValue ?? []
        try await environment.caps.admit(watcher.caller)
        _ = try await createResponse(request)
      case .say:
        try say(
          frame["text"]?.stringValue ?? "", interrupt: frame["interrupt"]?.boolValue ?? false,
          requestID: requestID)
      case .interrupt: interrupt(requestID, askedBy: watcher)
      case .instructions: try setInstructions(frame["instructions"]?.stringValue, by: watcher)
      case .toolResult: takeToolResult(frame, from: watcher)
      case .close: await end(reason: "closed")
      case .callJoin, .callLeave, .callMute, .callPlayed, .callBargein, .callStatus:
        try handleCall(frame, from: watcher)
      case .toolApproval: takeApproval(frame, from: watcher)
      default:
        throw APIError(
          .invalidField, "The command \(JSONValue.string(frame.type.rawValue)) is not known.")
      }
    } catch {
      refuse(watcher, error, requestID: requestID)
    }
  }

  /// Tells watchers of a transcript message that a client wrote; it is never answered (R10).
  public func announce(_ message: TranscriptMessage) {
    emit(.messageNew, ["message": message.json])
  }

  /// A tool call goes to the one who can run it; everything else to all.
  private func isFor(_ watcher: EventWatcher, _ frame: Frame) -> Bool {
    guard frame.type == .toolCall, let name = frame["name"]?.stringValue else { return true }
    return mayRun(name, watcher)
  }

  private func setInstructions(_ text: String?, by watcher: EventWatcher) throws(APIError) {
    guard watcher.caller.isBackend else {
      throw APIError(.fieldServerOnly, "Only a backend may change the instructions.")
    }
    guard let text else {
      throw APIError(.invalidField, "The field instructions is missing.")
    }
    record.settings.instructions = text
    writer.write([.save(record)])
  }
}
