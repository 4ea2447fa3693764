import Foundation
import SessionsModel

/// What a ``MemoryStore`` holds; one mutating method per change.
struct MemoryContent {
  struct Entry {
    var record: SessionRecord
    var turns: [Positioned<TurnRecord>] = []
    var items: [Positioned<AgentResponseItem>] = []
    var messages: [Positioned<TranscriptMessage>] = []
    var memories: [MemoryRecord] = []
  }

  private(set) var sessions: [SessionKey: Entry] = [:]
  private var entries: [UsageEntry] = []
  private var lastPosition = 0

  mutating func apply(_ change: StoreChange) throws(StoreError) {
    switch change {
    case .create(let record):
      guard sessions[record.key] == nil else { throw .sessionExists(record.id) }
      sessions[record.key] = Entry(record: record.rounded)
    case .save(let record):
      guard sessions[record.key] != nil else { throw .sessionMissing(record.id) }
      sessions[record.key]?.record = record.rounded
    case .delete(let key):
      sessions[key] = nil
    case .turn(let turn, let key):
      try save(turn, in: key)
    case .item(let item, let key):
      guard sessions[key] != nil else { throw .sessionMissing(key.id) }
      let position = nextPosition()
      sessions[key]?.items.upsert(item, at: position) {
        $0.responseID == item.responseID && $0.ordinal == item.ordinal
      }
    case .message(let message, let key):
      guard sessions[key] != nil else { throw .sessionMissing(key.id) }
      let position = nextPosition()
      sessions[key]?.messages.upsert(message, at: position) { $0.id == message.id }
    case .usage(let entry):
      add(entry)
    case .memories(let memories, let key):
      guard sessions[key] != nil else { throw .sessionMissing(key.id) }
      sessions[key]?.memories = memories
    }
  }

  private mutating func save(_ turn: TurnRecord, in key: SessionKey) throws(StoreError) {
    guard let entry = sessions[key] else { throw .sessionMissing(key.id) }
    let isTaken = entry.turns.contains {
      $0.value.requestID == turn.requestID && $0.value.id != turn.id
    }
    if isTaken { throw .requestExists(turn.requestID) }
    let position = nextPosition()
    sessions[key]?.turns.upsert(turn, at: position) { $0.id == turn.id }
  }

  private mutating func add(_ entry: UsageEntry) {
    let same = entries.firstIndex {
      $0.app == entry.app && $0.hour == entry.hour && $0.userID == entry.userID
        && $0.agent == entry.agent && $0.tags == entry.tags
    }
    guard let same else {
      entries.append(entry)
      return
    }
    entries[same].usage += entry.usage
    entries[same].messages += entry.messages
  }

  func usage(_ selection: UsageSelection) -> [UsageTotal] {
    var totals: [String: UsageTotal] = [:]
    for entry in entries where selection.selects(entry) {
      let key = selection.key(of: entry)
      var total = totals[key] ?? UsageTotal(key: key, usage: SessionUsage(), messages: 0)
      total.usage += entry.usage
      total.messages += entry.messages
      totals[key] = total
    }
    return totals.values
      .sorted { ($1.usage.costMicros, $0.key) < ($0.usage.costMicros, $1.key) }
      .prefix(selection.limit).map { $0 }
  }

  private mutating func nextPosition() -> Int {
    lastPosition += 1
    return lastPosition
  }
}

extension Array {
  /// Writes over the element that is the same, which keeps its position, or appends.
  fileprivate mutating func upsert<Value>(
    _ value: Value, at position: Int, where isSame: (Value) -> Bool
  ) where Element == Positioned<Value> {
    if let index = lastIndex(where: { isSame($0.value) }) {
      self[index].value = value
    } else {
      append(Positioned(position: position, value: value))
    }
  }
}

extension UsageSelection {
  fileprivate func selects(_ entry: UsageEntry) -> Bool {
    entry.app == app && (userID == nil || entry.userID == userID)
      && (since.map { $0 < entry.hour + Double(UsageEntry.period) } ?? true)
      && (until.map { entry.hour < $0 } ?? true)
  }

  fileprivate func key(of entry: UsageEntry) -> String {
    switch grouping {
    case .all: ""
    case .user: entry.userID
    case .agent: entry.agent
    case .tag(let name): entry.tags[name] ?? ""
    }
  }
}

extension SessionRecord {
  /// With the times as a database gives them back.
  fileprivate var rounded: SessionRecord {
    var record = self
    record.createdAt = createdAt.roundedToMilliseconds
    record.updatedAt = updatedAt.roundedToMilliseconds
    record.lastResponseAt = lastResponseAt?.roundedToMilliseconds
    record.closedAt = closedAt?.roundedToMilliseconds
    return record
  }
}
