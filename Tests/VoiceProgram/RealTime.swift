/// Conversations in real time take the machine's cores in turn: two at once would measure each
/// other. Whoever wants one waits here; tests of different targets run in one process.
public actor RealTime {
  public static let shared = RealTime()

  private var isTaken = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  /// Does `work` while nobody else in this process holds a conversation.
  public nonisolated func alone<Result: Sendable>(
    _ work: () async throws -> Result
  ) async rethrows -> Result {
    await enter()
    do {
      let result = try await work()
      await leave()
      return result
    } catch {
      await leave()
      throw error
    }
  }

  private func enter() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func leave() {
    guard !waiting.isEmpty else {
      isTaken = false
      return
    }
    waiting.removeFirst().resume()
  }
}
