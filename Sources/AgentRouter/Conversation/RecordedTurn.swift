public import SessionsModel
public import Stores

/// A turn as it is kept, with what happened in it.
public struct RecordedTurn: Sendable {
  public var record: TurnRecord
  /// In their order.
  public var items: [AgentResponseItem]

  public init(_ record: TurnRecord, items: [AgentResponseItem] = []) {
    self.record = record
    self.items = items
  }

  /// Puts items to their turns; both oldest first.
  static func joined(_ records: [TurnRecord], _ items: [AgentResponseItem]) -> [RecordedTurn] {
    let items = Dictionary(grouping: items, by: \.responseID)
    return records.map { RecordedTurn($0, items: items[$0.id] ?? []) }
  }
}
