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

  /// Every word has to stand in the title, the description, the project or the agent's name (R122).
  private func matchesText(_ record: SessionRecord) -> Bool {
    let text = record.searchText
    return searchWords.allSatisfy { text.contains($0) }
  }

  /// The words that are searched, in lower case.
  var searchWords: [String] {
    (filter.text ?? "").lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Whether `record` stands behind ``after``.
  func isBehindPosition(_ record: SessionRecord) -> Bool {
    guard let after else { return true }
    return Position(of: record) < after
  }
}

extension SessionSelection.Position: Comparable {
  public static func < (left: Self, right: Self) -> Bool {
    (left.updatedAt, left.id) < (right.updatedAt, right.id)
  }
}

extension SessionRecord {
  /// What a search looks into, in lower case.
  var searchText: String {
    [labels.title, labels.description, labels.projectID, agent].compactMap { $0 }
      .joined(separator: "\n").lowercased()
  }
}
