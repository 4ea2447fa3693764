import SessionsModel

extension SessionSelection {
  /// Whether a session is selected, apart from order and page: the meaning that every store keeps.
  func matches(_ record: SessionRecord) -> Bool {
    guard record.app == app, !record.incognito else { return false }
    if let owner, record.owner != owner { return false }
    return matchesIdentity(record) && matchesCreation(record) && matchesCustom(record)
      && matchesText(record)
  }

  private func matchesIdentity(_ record: SessionRecord) -> Bool {
    func allows<Value: Equatable>(_ wanted: Value?, _ value: Value?) -> Bool {
      wanted == nil || wanted == value
    }
    return allows(filter.agent, record.agent) && allows(filter.agentID, record.agentID)
      && allows(filter.configID, record.configID) && allows(filter.userID, record.owner.userID)
      && allows(filter.projectID, record.labels.projectID)
      && allows(filter.modality, record.modality) && allows(filter.state, record.state)
  }

  private func matchesCreation(_ record: SessionRecord) -> Bool {
    if let since = filter.createdSince, record.createdAt < since { return false }
    if let before = filter.createdBefore, record.createdAt >= before { return false }
    return true
  }

  private func matchesCustom(_ record: SessionRecord) -> Bool {
    (filter.custom ?? [:]).allSatisfy { record.labels.custom[$0.key]?.stringValue == $0.value }
  }

  private func matchesText(_ record: SessionRecord) -> Bool {
    filter.text == nil || searchWords.score(record.searchText) != nil
  }

  var searchWords: SearchWords { SearchWords(filter.text ?? "") }

  /// Whether a place stands behind ``after``.
  func isBehind(_ position: Position) -> Bool {
    after.map { position < $0 } ?? true
  }
}

extension SessionSelection.Position: Comparable {
  public static func < (left: Self, right: Self) -> Bool {
    (left.score, left.updatedAt, left.id) < (right.score, right.updatedAt, right.id)
  }
}
