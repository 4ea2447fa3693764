import Foundation
import Networking
import SessionsModel

/// microWakeWord in a child process of its own: samples in, a line whenever the word was said.
///
/// A library for it exists for Python only; a process of its own keeps that out of this one.
actor WakeWordProcess: WakeWordDetector {
  nonisolated let phrase: String
  private nonisolated let runtime: LoopRuntime
  private let child: ChildProcess
  private var lines: LineReader

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    runtime.executor.asUnownedSerialExecutor()
  }

  /// How long it may take until it listens: a small machine loads its library in a few seconds.
  private static let startLimit = Duration.seconds(20)

  /// Starts the detector and returns once it listens.
  ///
  /// - Parameters:
  ///   - path: the program `voice-wake`.
  ///   - name: see ``WakeWord/name``.
  /// - Throws: `AgentsError.configuration` with what is missing.
  static func start(
    _ path: String, name: String, runtime: LoopRuntime
  ) async throws -> WakeWordProcess {
    let child: ChildProcess
    do {
      child = try await ChildProcess.launch(path, arguments: ["--word", name], runtime: runtime)
    } catch {
      throw AgentsError.configuration(
        "The wake word's detector could not be started (\(error)). Run `make setup`.")
    }
    var lines = LineReader()
    let watchdog = runtime.after(startLimit) { runtime.task { await child.kill() } }
    let first = await lines.next(of: child)
    watchdog.cancel()
    // What is no JSON is no start, either.
    guard let first, let line = try? JSONValue.parse(first),
      let phrase = line["ready"]?.stringValue
    else {
      await child.closeInput()
      let reason = first.flatMap { try? JSONValue.parse($0) }?["error"]?.stringValue
      throw AgentsError.configuration(
        reason ?? "The wake word's detector ended before it listened. Run `make setup`.")
    }
    return WakeWordProcess(child, lines, phrase: phrase, runtime: runtime)
  }

  private init(
    _ child: ChildProcess, _ lines: LineReader, phrase: String, runtime: LoopRuntime
  ) {
    self.child = child
    self.lines = lines
    self.phrase = phrase
    self.runtime = runtime
  }

  func hear(_ samples: [Int16]) async {
    let bytes = samples.flatMap {
      [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
    }
    // One that has ended is told by nextCall.
    try? await child.write(bytes)
  }

  func nextCall() async -> Bool {
    var lines = lines
    let line = await lines.next(of: child)
    self.lines = lines
    return line != nil
  }

  func close() async {
    await child.closeInput()
  }

  /// Splits what the child writes into lines.
  private struct LineReader {
    private var pending: [UInt8] = []

    /// The next line without its end; nil when there are no more.
    mutating func next(of child: ChildProcess) async -> String? {
      while true {
        if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
          let line = String(decoding: pending[..<end], as: UTF8.self)
          pending.removeSubrange(...end)
          return line
        }
        guard let bytes = await child.read() else { return nil }
        pending += bytes
      }
    }
  }
}
