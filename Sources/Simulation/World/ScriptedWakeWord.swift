import Synchronization
public import VisionAgentsCore

/// A wake word that is heard when the scenario says so.
public final class ScriptedWakeWord: WakeWordDetector {
  private struct State {
    var waiter: CheckedContinuation<Bool, Never>?
    var calls = 0
    var isClosed = false
    var loudest: Int16 = 0
  }

  public let phrase = "Hey Helper"
  private let state = Mutex(State())

  public init() {}

  /// The word is said now.
  public func say() {
    let waiter = state.withLock { state in
      if state.waiter == nil { state.calls += 1 }
      return state.waiter.take()
    }
    waiter?.resume(returning: true)
  }

  /// The loudest sample that the detector was given.
  public var loudest: Int16 { state.withLock { $0.loudest } }
  public var isClosed: Bool { state.withLock { $0.isClosed } }

  public func hear(_ samples: [Int16]) async {
    let loudest = samples.map(\.magnitude).max().map { Int16(clamping: $0) } ?? 0
    state.withLock { $0.loudest = max($0.loudest, loudest) }
  }

  public func nextCall() async -> Bool {
    await withCheckedContinuation { continuation in
      let answer: Bool? = state.withLock { state in
        if state.isClosed { return false }
        if state.calls > 0 {
          state.calls -= 1
          return true
        }
        state.waiter = continuation
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  public func close() async {
    let waiter = state.withLock { state in
      state.isClosed = true
      return state.waiter.take()
    }
    waiter?.resume(returning: false)
  }
}
