import Foundation
import Networking
import SessionsModel
import Stores

// Who watches, and how long a session lives by that.
extension SessionDirectory {
  private static let openingsAtMost = 3

  /// Opens a session and adds a watcher; one that ends between the two is opened again.
  func watch(_ id: String, for caller: Caller, _ watcher: EventWatcher) async throws(APIError) {
    let key = SessionKey(app: caller.app, id: id)
    arrivals.began(at: key)
    defer { arrivals.ended(at: key) }
    for _ in 1...Self.openingsAtMost {
      _ = try await open(id, for: caller)
      if await attach(watcher, to: key) { return }
    }
    throw APIError(.sessionEnded, "The session \(id) ended while it was being opened.")
  }

  /// Waits for the sockets that are about to watch a session.
  func arrived(at key: SessionKey) async {
    guard arrivals.isSomebodyArriving(at: key) else { return }
    await withCheckedContinuation { arrivals.wait(at: key, $0) }
  }

  /// Adds a watcher to a live session.
  ///
  /// - Returns: false when the session has just ended.
  func attach(_ watcher: EventWatcher, to key: SessionKey) async -> Bool {
    guard let entry = entries[key], entry.ending == nil else { return false }
    entries[key]?.watchers.insert(watcher.id)
    if let action = entries[key]?.lifetime.watcherJoined() { carryOut(action, key) }
    await entry.holder.attach(
      watcher, resumingAfter: watcher.options.after, stream: watcher.options.stream)
    return true
  }

  /// Takes a watcher away, which may end the session.
  func detach(_ watcher: EventWatcher, from key: SessionKey, normally: Bool) async {
    guard let holder = entries[key]?.holder,
      entries[key]?.watchers.remove(watcher.id) != nil
    else { return }
    await holder.detach(watcher, normally: normally)
    let isVoiceOn = await holder.record.isVoiceOn
    guard entries[key]?.ending == nil,
      let action = entries[key]?.lifetime.watcherLeft(normally: normally, isVoiceOn: isVoiceOn)
    else { return }
    if action == .end {
      await end(key, reason: "nobody watches")
    } else {
      carryOut(action, key)
    }
  }

  /// Hands a command to the session, unless it has ended meanwhile.
  func handle(_ command: JSONValue, from watcher: EventWatcher, of key: SessionKey) async {
    guard let entry = entries[key], entry.ending == nil, entry.watchers.contains(watcher.id)
    else { return }
    await entry.holder.handle(command: command, from: watcher)
  }

  /// Ends the session because a watcher of it says so.
  func close(_ key: SessionKey, by watcher: EventWatcher) async {
    guard let entry = entries[key], entry.watchers.contains(watcher.id) else { return }
    await end(key, reason: "closed")
  }

  func carryOut(_ action: SessionLifetime.Action, _ key: SessionKey) {
    entries[key]?.timer?.cancel()
    entries[key]?.timer = nil
    switch action {
    case .cancelTimer: break
    case .end: environment.runtime.task { await self.end(key, reason: "nobody watches") }
    case .wait(let duration):
      let runtime = environment.runtime
      entries[key]?.timer = runtime.after(duration) {
        runtime.task { await self.timerFired(key) }
      }
    }
  }

  private func timerFired(_ key: SessionKey) async {
    guard let holder = entries[key]?.holder else { return }
    let record = await holder.record
    let state = await holder.state
    let last = record.lastResponseAt ?? record.createdAt
    let silence = environment.runtime.wallClock.timeIntervalSince(last)
    let action = entries[key]?.lifetime.timerFired(
      sinceLastAnswer: .seconds(silence), isBusy: state != .idle)
    if let action, entries[key]?.ending == nil { carryOut(action, key) }
  }
}
