import Foundation
import Networking
import Synchronization

/// The `voice` program as a child process, followed line by line while it runs.
public final class VoiceProcess: Sendable {
  /// How it ended.
  public struct Ending: Sendable {
    /// Exit code; the negative signal number when a signal ended it.
    public var exitCode: Int32
    /// Lines of standard output.
    public var output: [String]
    /// Lines of standard error.
    public var errorLines: [String]
    /// It did not end by itself within its limit and was killed.
    public var wasTooLate: Bool

    /// Standard error as one text.
    public var errors: String { errorLines.joined(separator: "\n") }
  }

  private typealias LineWaiter = (matches: @Sendable (String) -> Bool, waiter: Waiter<String?>)
  private typealias Waiter<Value: Sendable> = CheckedContinuation<Value, Never>

  private struct State {
    var ending = Ending(exitCode: 0, output: [], errorLines: [], wasTooLate: false)
    var isOver = false
    var lineWaiters: [LineWaiter] = []
    var errorWaiters: [LineWaiter] = []
    var endWaiters: [Waiter<Void>] = []
  }

  /// One loop carries all children; it lives as long as the process.
  private static let runtime = LoopRuntime()

  public let processID: Int32
  private let child: ChildProcess
  private let state: StateBox

  /// The state outlives the process's handle in the callbacks of the child.
  private final class StateBox: Sendable {
    let value = Mutex(State())
  }

  private init(_ child: ChildProcess, _ processID: Int32, _ state: StateBox) {
    self.child = child
    self.processID = processID
    self.state = state
  }

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - arguments: its command and options.
  ///   - changes: what differs from this process's environment.
  ///   - limit: after this it is killed, and its ending says so.
  public static func start(
    _ arguments: [String], environment changes: [String: String] = [:], limit: Duration
  ) async throws -> VoiceProcess {
    let state = StateBox()
    let child = try await ChildProcess.launch(
      VoiceProgram.url().path, arguments: arguments,
      environment: ProcessInfo.processInfo.environment.merging(changes) { $1 }, runtime: runtime
    ) { line in
      let woken = state.value.withLock { state in
        state.ending.errorLines.append(line)
        let woken = state.errorWaiters.filter { $0.matches(line) }
        state.errorWaiters.removeAll { $0.matches(line) }
        return woken
      }
      for entry in woken { entry.waiter.resume(returning: line) }
    }
    let process = VoiceProcess(child, await child.processID, state)
    let watchdog = runtime.after(limit) {
      state.value.withLock { $0.ending.wasTooLate = true }
      runtime.task { await child.kill() }
    }
    runtime.task {
      await process.follow()
      watchdog.cancel()
    }
    return process
  }

  /// The first line of standard output, of those so far and those to come, that matches; nil when
  /// the program ended without it.
  ///
  /// - Parameter skipped: lines from the beginning that are not looked at.
  public func line(
    after skipped: Int = 0, where matches: @escaping @Sendable (String) -> Bool
  ) async -> String? {
    await withCheckedContinuation { waiter in
      let known: String?? = state.value.withLock { state in
        if let line = state.ending.output.dropFirst(skipped).first(where: matches) {
          return .some(line)
        }
        if state.isOver { return .some(nil) }
        state.lineWaiters.append((matches, waiter))
        return nil
      }
      if let known { waiter.resume(returning: known) }
    }
  }

  /// As ``line(after:where:)``, of standard error.
  public func errorLine(
    after skipped: Int = 0, where matches: @escaping @Sendable (String) -> Bool
  ) async -> String? {
    await withCheckedContinuation { waiter in
      let known: String?? = state.value.withLock { state in
        if let line = state.ending.errorLines.dropFirst(skipped).first(where: matches) {
          return .some(line)
        }
        if state.isOver { return .some(nil) }
        state.errorWaiters.append((matches, waiter))
        return nil
      }
      if let known { waiter.resume(returning: known) }
    }
  }

  /// What standard error said so far.
  public var errorLines: [String] { state.value.withLock { $0.ending.errorLines } }

  /// Waits for its end.
  public func ending() async -> Ending {
    await withCheckedContinuation { waiter in
      let isOver = state.value.withLock { state in
        if !state.isOver { state.endWaiters.append(waiter) }
        return state.isOver
      }
      if isOver { waiter.resume() }
    }
    return state.value.withLock { $0.ending }
  }

  /// What standard output said so far.
  public var lines: [String] { state.value.withLock { $0.ending.output } }

  /// Sends it a signal; nothing once it has ended.
  public func signal(_ number: Int32) {
    state.value.withLock { if !$0.isOver { _ = kill(processID, number) } }
  }

  /// Closes its standard input, which ends a router that was started with `--announce`.
  public func closeInput() async {
    await child.closeInput()
  }

  private func follow() async {
    var pending: [UInt8] = []
    while let bytes = await child.read() {
      pending += bytes
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        take(String(decoding: pending[..<end], as: UTF8.self))
        pending.removeSubrange(...end)
      }
    }
    if !pending.isEmpty { take(String(decoding: pending, as: UTF8.self)) }
    await child.endOfErrors()
    end(await child.exitStatus())
  }

  private func take(_ line: String) {
    let woken = state.value.withLock { state in
      state.ending.output.append(line)
      let woken = state.lineWaiters.filter { $0.matches(line) }
      state.lineWaiters.removeAll { $0.matches(line) }
      return woken
    }
    for entry in woken { entry.waiter.resume(returning: line) }
  }

  private func end(_ status: ChildProcess.ExitStatus) {
    let (lineWaiters, endWaiters) = state.value.withLock { state in
      switch status {
      case .exited(let code): state.ending.exitCode = Int32(code)
      case .killed(let signal): state.ending.exitCode = -Int32(signal)
      }
      state.isOver = true
      defer { (state.lineWaiters, state.errorWaiters, state.endWaiters) = ([], [], []) }
      return (state.lineWaiters + state.errorWaiters, state.endWaiters)
    }
    for entry in lineWaiters { entry.waiter.resume(returning: nil) }
    for waiter in endWaiters { waiter.resume() }
  }
}
