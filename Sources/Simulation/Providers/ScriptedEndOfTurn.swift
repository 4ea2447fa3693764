import Networking
import Providers
import Synchronization

/// Knows when the simulated person is done, because it is told how many stretches will be said.
final class ScriptedEndOfTurn: EndOfTurnModel {
  private let runtime: any Runtime
  private let delay: Duration
  private let isAlwaysSure: Bool
  private let planned = Mutex(Int.max)

  /// - Parameter isAlwaysSure: whether every pause sounds to it like the end.
  init(runtime: any Runtime, delay: Duration, isAlwaysSure: Bool) {
    self.runtime = runtime
    self.delay = delay
    self.isAlwaysSure = isAlwaysSure
  }

  /// The stretches of the utterance that comes next.
  func expect(_ stretches: Int) {
    planned.withLock { $0 = stretches }
  }

  func completeness(of samples: [Int16]) async throws(ProviderError) -> Float {
    try await ScriptedDelay.sleep(for: delay, runtime)
    let isOver = StretchCounter.isLong(in: samples).count >= planned.withLock { $0 }
    return isAlwaysSure || isOver ? 0.99 : 0.02
  }
}
