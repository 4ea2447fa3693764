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

  /// - Parameter records: the recorded turns, oldest first.
  init(records: [TurnRecord] = []) {
    for record in records where !record.isRewound && record.status != .running {
      append(Self.messages(of: record))
    }
  }

  /// Adds a finished turn.
  mutating func append(_ messages: [ModelMessage]) {
    guard !messages.isEmpty else { return }
    turns.append(messages)
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
