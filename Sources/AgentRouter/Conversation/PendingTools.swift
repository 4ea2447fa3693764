import Providers

/// The calls of one step that wait for their results.
struct PendingTools {
  struct Call: Equatable {
    var call: ModelToolCall
    var turnID: String
    /// The watcher it was sent to; nil for one that nobody could take.
    var watcherID: String?
    var result: Result?
  }

  struct Result: Equatable {
    var output: String
    /// Empty when the tool ran well.
    var error: String

    /// What the model is told.
    var told: String { error.isEmpty ? output : "The tool failed: \(error)" }
  }

  private(set) var calls: [Call] = []

  /// Adds a call; a second one with the same id is refused.
  mutating func add(_ call: ModelToolCall, turnID: String, watcherID: String?) -> Bool {
    guard !calls.contains(where: { $0.call.id == call.id }) else { return false }
    calls.append(Call(call: call, turnID: turnID, watcherID: watcherID))
    return true
  }

  /// Takes a result; nil when the call is unknown, settled or cancelled: late results are dropped.
  mutating func settle(_ id: String, _ result: Result) -> Call? {
    guard let index = calls.firstIndex(where: { $0.call.id == id && $0.result == nil }) else {
      return nil
    }
    calls[index].result = result
    return calls[index]
  }

  /// Whether every call has its result.
  var isSettled: Bool { calls.allSatisfy { $0.result != nil } }

  /// Calls that still wait.
  var open: [Call] { calls.filter { $0.result == nil } }

  /// Hands over all calls of the step and begins anew.
  mutating func takeAll() -> [Call] {
    defer { calls.removeAll() }
    return calls
  }
}
