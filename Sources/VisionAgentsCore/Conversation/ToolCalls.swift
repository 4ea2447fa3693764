import SessionsModel

/// Which tool calls were taken, run and answered: every call is answered once.
///
/// An answer is kept until the router reports `tool_ran`, and sent again when the socket came back
/// without that report; the router drops what it already has.
struct ToolCalls: Sendable {
  /// How long a tool may take before the model is told that it did not answer (contract part 1,
  /// 1.7: 30 s on the router; a little less here, so that the sentence arrives).
  static let timeLimit = Duration.seconds(28)
  /// Calls remembered, to know one that is repeated.
  static let memory = 1024

  enum Action: Sendable, Equatable {
    case run(ToolCall)
    case stop(id: String)
    case send(Frame)
  }

  private enum State {
    case running
    /// No longer wanted; what it did nevertheless is told.
    case cancelled
    /// Answered; the frame until the router has it.
    case answered(Frame)
    case over
  }

  private let names: Set<String>
  private var states: [String: State] = [:]
  private var order: [String] = []
  /// `turn_id`, `request_id` and `command_id` of a call, which its answer repeats.
  private var echoes: [String: [String: JSONValue]] = [:]

  init(names: some Sequence<String>) {
    self.names = Set(names)
  }

  /// A `tool_call` arrived; calls for tools of others are left to them.
  mutating func called(_ fields: [String: JSONValue]) -> [Action] {
    guard let call = ToolCall(fields), names.contains(call.name), states[call.id] == nil else {
      return []
    }
    states[call.id] = .running
    echoes[call.id] = fields.filter { ["turn_id", "request_id", "command_id"].contains($0.key) }
    order.append(call.id)
    forgetOldest()
    return [.run(call)]
  }

  /// A tool has finished, or its time is over.
  mutating func finished(_ id: String, output: String, error: String) -> [Action] {
    switch states[id] {
    case .running?: break
    // It was done before it could be stopped: the order was placed, and the agent has to know.
    case .cancelled? where error.isEmpty: break
    case .cancelled?:
      states[id] = .over
      return []
    default: return []
    }
    var fields = echoes[id] ?? [:]
    fields["tool_call_id"] = .string(id)
    fields["output"] = .string(output)
    fields["error"] = .string(error)
    let frame = Frame(.toolResult, fields)
    states[id] = .answered(frame)
    return [.stop(id: id), .send(frame)]
  }

  /// The agent no longer wants the answer.
  mutating func cancelled(_ id: String) -> [Action] {
    guard case .running? = states[id] else { return [] }
    states[id] = .cancelled
    return [.stop(id: id)]
  }

  /// The router has the answer.
  mutating func settled(_ id: String) -> [Action] {
    guard let state = states[id] else { return [] }
    states[id] = .over
    if case .running = state { return [.stop(id: id)] }
    return []
  }

  /// The socket came back: what the router has not confirmed is sent again, in order.
  func resumed() -> [Action] {
    order.compactMap { id in
      guard case .answered(let frame)? = states[id] else { return nil }
      return .send(frame)
    }
  }

  /// The session is over: nothing runs on.
  mutating func ended() -> [Action] {
    let running = order.filter { id in
      if case .running? = states[id] { true } else { false }
    }
    for id in running { states[id] = .over }
    return running.map { .stop(id: $0) }
  }

  private mutating func forgetOldest() {
    guard order.count > Self.memory else { return }
    let id = order.removeFirst()
    states[id] = nil
    echoes[id] = nil
  }
}
