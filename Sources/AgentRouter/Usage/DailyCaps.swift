import Foundation
import Networking
import SessionsModel
import Stores
import Synchronization

/// What the devices of one user may ask a day; backends are not capped (contract part 1, 1.1).
///
/// A day is one of UTC. Counts come from the store's costs when a user is first met, and are kept
/// here from then on, so that a restart forgets nothing.
///
/// Bound: 10,000 users; the one met longest ago is asked of the store again.
public final class DailyCaps: Sendable {
  static let usersAtMost = 10_000

  private struct Key: Hashable {
    var app: String
    var user: String
  }

  private struct Spent {
    var day: Int
    var messages = 0
    var tokens = 0
  }

  private struct State {
    var spent: [Key: Spent] = [:]
    var order: [Key] = []
  }

  private let runtime: any Runtime
  private let store: any SessionStore
  private let limits: RouterLimits
  private let state = Mutex(State())

  init(runtime: any Runtime, store: any SessionStore, limits: RouterLimits) {
    self.runtime = runtime
    self.store = store
    self.limits = limits
  }

  private var isUnlimited: Bool { limits.messagesPerDay == 0 && limits.tokensPerDay == 0 }

  private var day: Int { runtime.secondsSince1970 / 86_400 }

  /// Counts one question of a caller.
  ///
  /// - Throws: `rate_limited` with the seconds until the day is over.
  func admit(_ caller: Caller) async throws(APIError) {
    guard !isUnlimited, !caller.isBackend, let user = caller.userID else { return }
    let key = Key(app: caller.app, user: user)
    try await load(key)
    let day = day
    let spent = state.withLock { state -> Spent in
      var spent = state.spent[key] ?? Spent(day: day)
      if spent.day != day { spent = Spent(day: day) }
      let before = spent
      if isWithin(spent) { spent.messages += 1 }
      state.spent[key] = spent
      return before
    }
    guard !isWithin(spent) else { return }
    let isOfMessages = limits.messagesPerDay > 0 && spent.messages >= limits.messagesPerDay
    throw APIError(
      .rateLimited,
      isOfMessages
        ? "The day's \(limits.messagesPerDay) messages are used up; they begin anew at midnight UTC."
        : "The day's \(limits.tokensPerDay) tokens are used up; they begin anew at midnight UTC.",
      retryAfterSeconds: 86_400 - runtime.secondsSince1970 % 86_400)
  }

  /// Counts what a user's sessions cost.
  func spend(_ tokens: Int, app: String, user: String) {
    guard !isUnlimited, !user.isEmpty else { return }
    let (key, day) = (Key(app: app, user: user), day)
    state.withLock { state in
      guard let spent = state.spent[key], spent.day == day else { return }
      state.spent[key]?.tokens += tokens
    }
  }

  private func isWithin(_ spent: Spent) -> Bool {
    (limits.messagesPerDay == 0 || spent.messages < limits.messagesPerDay)
      && (limits.tokensPerDay == 0 || spent.tokens < limits.tokensPerDay)
  }

  private func load(_ key: Key) async throws(APIError) {
    guard state.withLock({ $0.spent[key] }) == nil else { return }
    var selection = UsageSelection(app: key.app, grouping: .all)
    selection.userID = key.user
    selection.since = Date(timeIntervalSince1970: Double(day * 86_400))
    let total: UsageTotal?
    do throws(StoreError) {
      total = try await store.usage(selection).first
    } catch {
      throw APIError(error)
    }
    state.withLock { state in
      guard state.spent[key] == nil else { return }
      state.spent[key] = Spent(
        day: day, messages: total?.messages ?? 0,
        tokens: (total?.usage.inputTokens ?? 0) + (total?.usage.outputTokens ?? 0))
      state.order.append(key)
      if state.order.count > Self.usersAtMost {
        state.spent[state.order.removeFirst()] = nil
      }
    }
  }
}
