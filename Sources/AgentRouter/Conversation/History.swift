import Providers
import SessionsModel
import Stores

/// What was said so far, in the standard form every model takes (R1).
///
/// The oldest turns are left out beyond a bound, many at a time, so that the beginning of the
/// prompt stays the same from turn to turn and a worker's cache of it keeps its worth.
struct History {
  /// Characters of past turns that a prompt carries at most.
  static let longestPast = 4_000

  private var turns: [[ModelMessage]] = []
  /// Turns before this one are left out of prompts.
  private var firstShown = 0

  /// - Parameter recorded: the turns as they are kept, oldest first.
  init(recorded: [RecordedTurn] = []) {
    for turn in recorded where !turn.record.isRewound && turn.record.status != .running {
      append(Self.messages(of: turn))
    }
  }

  /// Adds a finished turn.
  ///
  /// - Returns: its place; nil when there is nothing to remember.
  @discardableResult
  mutating func append(_ messages: [ModelMessage]) -> Int? {
    guard !messages.isEmpty else { return nil }
    defer { shorten() }
    turns.append(messages)
    return turns.count - 1
  }

  /// Puts what is known now in the place of a turn, unless the history was changed since.
  mutating func replace(_ place: Int, _ known: [ModelMessage], with messages: [ModelMessage]) {
    guard turns.indices.contains(place), turns[place] == known else { return }
    turns[place] = messages
  }

  private mutating func shorten() {
    guard shownCharacters > Self.longestPast else { return }
    while shownCharacters > Self.longestPast / 2, firstShown < turns.count - 1 { firstShown += 1 }
  }

  /// The prompt's messages: instructions, the past, and what the present turn has so far.
  func messages(instructions: String, present: [ModelMessage]) -> [ModelMessage] {
    let system = instructions.isEmpty ? [] : [ModelMessage(.system, instructions)]
    return system + turns[firstShown...].flatMap { $0 } + present
  }

  /// Everything said so far, oldest first, whatever prompts leave out.
  var opening: [ModelMessage] { turns.flatMap { $0 } }

  /// Puts a tool's late result in the place of what was told for it.
  ///
  /// - Returns: whether the call is known.
  mutating func settle(_ callID: String, _ told: String) -> Bool {
    for turn in turns.indices.reversed() {
      let found = turns[turn].lastIndex { $0.role == .tool && $0.toolCallID == callID }
      guard let found else { continue }
      turns[turn][found].content = told
      return true
    }
    return false
  }

  /// What a turn added to the history, from what is kept of it: a call of a tool is told with its
  /// result, so that nothing is ordered twice after the session was closed and opened again.
  static func messages(of turn: RecordedTurn) -> [ModelMessage] {
    let calls = turn.items.filter { $0.kind == .toolCall }
    guard !calls.isEmpty else { return messages(of: turn.record) }
    var messages: [ModelMessage] = []
    if !turn.record.said.isEmpty { messages.append(ModelMessage(.user, turn.record.said)) }
    for call in calls {
      guard let id = call.payload?["id"]?.stringValue else { continue }
      let asked = ModelToolCall(
        id: id, name: call.toolName ?? "", arguments: call.payload?["arguments"]?.stringValue ?? "")
      messages.append(ModelMessage(.assistant, "", toolCalls: [asked]))
      // A late result is the last of its call.
      let result = turn.items.last {
        $0.kind == .toolResult && $0.payload?["id"]?.stringValue == id
      }
      messages.append(ModelMessage(.tool, result?.text ?? Self.noResult, toolCallID: id))
    }
    if !turn.record.answer.isEmpty {
      messages.append(ModelMessage(.assistant, turn.record.answer))
    }
    return messages
  }

  /// What the model is told of a call whose turn was cut before it had a result.
  static let noResult = "Interrupted before the tool answered."

  static func messages(of record: TurnRecord) -> [ModelMessage] {
    var messages: [ModelMessage] = []
    if !record.said.isEmpty { messages.append(ModelMessage(.user, record.said)) }
    if !record.answer.isEmpty { messages.append(ModelMessage(.assistant, record.answer)) }
    return messages
  }

  private var shownCharacters: Int {
    turns[firstShown...].joined().reduce(0) { $0 + $1.content.count }
  }
}
