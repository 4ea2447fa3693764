import Foundation
import Networking
import Providers
import SessionsModel
import Stores

// What is done with a conversation after its end: naming it if that is still due, remembering what
// it taught, reviewing it (R40).
extension SessionDirectory {
  /// From the end of a session to its review: "a few seconds".
  static let lookBackDelay = Duration.seconds(3)
  /// Looking back that runs at once; the others wait.
  static let lookBacksAtOnce = 2
  /// While somebody is on a call, a model that also speaks with them is not asked, for so long.
  private static let callPatience = Duration.seconds(300)
  private static let patienceStep = Duration.seconds(2)

  func lookBackLater(on record: SessionRecord) {
    guard !record.incognito, !isClosing else { return }
    let (key, number) = (record.key, lookBacks.nextNumber())
    let task = environment.runtime.task {
      await self.lookBackWhenQuiet(key, number)
      await self.lookBackEnded(key, number)
    }
    lookBacks.add(key, number, task)
  }

  /// Looks back on what an earlier router ended and had no time for; to be called once, at the start.
  public func catchUpOnLookBacks() async {
    do throws(StoreError) {
      let due = try await environment.store.sessionsToLookBackOn(
        limit: LookBackQueue.waitingAtMost)
      // One that was reopened meanwhile is looked back on when it ends.
      for record in due where entries[record.key] == nil { lookBackLater(on: record) }
    } catch {
      environment.onLog("What is still to be looked back on could not be read: \(error)")
    }
  }

  func cancelLookBack(_ key: SessionKey) { lookBacks.cancel(key) }

  func cancelLookBacks() { lookBacks.cancelAll() }

  private func lookBackEnded(_ key: SessionKey, _ number: Int) {
    lookBacks.finished(key, number)
  }

  private func lookBackWhenQuiet(_ key: SessionKey, _ number: Int) async {
    let runtime = environment.runtime
    do {
      try await runtime.sleep(for: Self.lookBackDelay)
      let patience = runtime.now + Self.callPatience
      while true {
        let hasRoom = lookBacks.running < Self.lookBacksAtOnce
        if hasRoom {
          if runtime.now >= patience { break }
          if await !isSomebodyOnACall(), lookBacks.running < Self.lookBacksAtOnce { break }
        }
        try await runtime.sleep(for: Self.patienceStep)
      }
    } catch {
      return  // Cancelled: the session was reopened or deleted, or the router ends.
    }
    guard lookBacks.isCurrent(key, number) else { return }
    lookBacks.running += 1
    defer { lookBacks.running -= 1 }
    do throws(APIError) {
      try await lookBack(on: key, number)
    } catch {
      environment.onLog("Looking back on the session \(key.id): \(error.message)")
    }
  }

  private func isSomebodyOnACall() async -> Bool {
    for entry in entries.values where await entry.holder.record.isVoiceOn { return true }
    return false
  }

  private func lookBack(on key: SessionKey, _ number: Int) async throws(APIError) {
    let (record, turns) = try await stored(key)
    guard let record, record.state == .ended, record.isLookBackDue,
      let agent = environment.configuration.agent(named: record.agent)
    else { return }
    let asked = turns.count { $0.isOfUser }
    guard asked > record.reviewedTurns else {
      return try await keep(SessionUsage(), nil, of: key, number) { record in
        record.isLookBackDue = false
        return []
      }
    }
    let look = LookBack(environment: environment, agent: agent, record: record, turns: turns)
    if record.isNamingDue {
      let names = await look.names()
      try await keep(names.usage, names.problem, of: key, number) { record in
        if let value = names.value { record.apply(value) }
        record.isNamingDue = false
        return []
      }
    }
    if record.owner.userID.isEmpty == false {
      let facts = await look.facts()
      let time = environment.runtime.timestamp
      try await keep(facts.usage, facts.problem, of: key, number) { record in
        guard let texts = facts.value else { return [] }
        let memories = texts.map {
          MemoryRecord(sessionID: record.id, text: $0, createdAt: time)
        }
        return [.memories(memories, record.key)]
      }
    }
    let review = await look.review()
    try await keep(review.usage, review.problem, of: key, number) { record in
      // Whatever came of it: a model that cannot review is not asked at every start.
      record.isLookBackDue = false
      guard let value = review.value else { return [] }
      record.reviewScore = value.score
      record.reviewNotes = value.notes
      record.reviewedTurns = asked
      return []
    }
  }

  private func stored(
    _ key: SessionKey
  ) async throws(APIError) -> (record: SessionRecord?, turns: [TurnRecord]) {
    do throws(StoreError) {
      return (
        try await environment.store.session(key.id, app: key.app),
        try await environment.store.turns(of: key, .all).map(\.value)
      )
    } catch {
      throw APIError(error)
    }
  }

  /// Writes down what came of a question, unless the session was reopened or deleted meanwhile; what
  /// it cost counts in any case.
  private func keep(
    _ usage: SessionUsage, _ problem: String?, of key: SessionKey, _ number: Int,
    _ change: (inout SessionRecord) -> [StoreChange]
  ) async throws(APIError) {
    if let problem { environment.onLog("The session \(key.id): \(problem)") }
    guard lookBacks.isCurrent(key, number), !Task.isCancelled else { return }
    let time = environment.runtime.timestamp
    let changed = try await changeEnded(key) { record in
      let further = change(&record)
      record.usage += usage
      return further + (usage.requests > 0 ? [.usage(record.entry(usage, at: time))] : [])
    }
    if let changed {
      environment.caps.spend(usage.tokens, app: changed.app, user: changed.owner.userID)
    }
  }
}

extension SessionRecord {
  /// What was spent, as the costs keep it.
  func entry(_ usage: SessionUsage, at time: Date, messages: Int = 0) -> UsageEntry {
    UsageEntry(
      app: app, at: time, userID: owner.userID, agent: agent, tags: labels.tags, usage: usage,
      messages: messages)
  }

  /// Names a session that its user has not named (R43).
  mutating func apply(_ names: ConversationNaming.Names) {
    if !labels.isTitleFrozen { labels.title = names.title }
    if !labels.isDescriptionFrozen { labels.description = names.description }
  }
}
