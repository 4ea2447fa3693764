import Foundation
import Networking
import SessionsModel

/// The router as a child process on loopback; it ends with this process, whose pipe it reads.
@MainActor
final class RouterProcess {
  /// Where it listens.
  private(set) var url = URL(filePath: "/")
  /// Of its certificate; nil without TLS.
  private(set) var fingerprint: CertificateFingerprint?
  private let child: ChildProcess
  private let log: LogFile
  /// It is gone, whether it was asked to go or not.
  private(set) var hasEnded = false
  private var pending: [UInt8] = []

  private let runtime: LoopRuntime

  /// What sessions and workers may take to end; afterwards the router is killed.
  private static let endingLimit = Duration.seconds(10)

  private init(child: ChildProcess, runtime: LoopRuntime, log: LogFile) {
    self.child = child
    self.runtime = runtime
    self.log = log
  }

  /// Starts a router and waits until it listens.
  ///
  /// - Parameters:
  ///   - options: further options of `voice router`.
  ///   - logFile: where its log lines go.
  /// - Throws: ``FileFault`` with the router's own last sentence when it did not start.
  static func start(
    options: [String], runtime: LoopRuntime, logFile: URL
  ) async throws(FileFault) -> RouterProcess {
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path
    let log = try LogFile(logFile)
    let child: ChildProcess
    do {
      child = try await ChildProcess.launch(
        program, arguments: ["router", "--announce"] + options, runtime: runtime,
        onErrorLine: { log.append($0) })
    } catch {
      throw FileFault("\(error)")
    }
    let router = RouterProcess(child: child, runtime: runtime, log: log)
    if let ready = await router.announcement("url"), let address = ready["url"]?.stringValue,
      let url = URL(string: address)
    {
      router.url = url
      router.fingerprint = ready["fingerprint"]?.stringValue.flatMap { CertificateFingerprint($0) }
      router.watch()
      return router
    }
    let status = await child.exitStatus()
    await child.endOfErrors()
    // Its own last sentence says why; its name before it would only be in the way.
    let reason = log.lastLine.replacing("voice router: ", with: "", maxReplacements: 1)
    throw FileFault(
      "the router did not start: " + (reason.isEmpty ? "it said nothing (\(status))." : reason))
  }

  /// Lets it end by itself and waits for it.
  ///
  /// - Returns: what a person should know of how it went; nil when all was well.
  @discardableResult
  func stop() async -> String? {
    let (child, runtime) = (child, runtime)
    let patience = runtime.after(Self.endingLimit) { runtime.task { await child.kill() } }
    defer { patience.cancel() }
    await child.closeInput()
    let restarts = await announcement("worker_restarts")?["worker_restarts"]?.intValue
    let status = await child.exitStatus()
    await child.endOfErrors()
    guard let restarts else {
      return "The router ended before the conversation did (\(status)); \(log.path) says more."
    }
    guard restarts > 0 else { return nil }
    return "A worker was restarted (\(restarts) in all); \(log.path) says why."
  }

  private func watch() {
    Task { @MainActor [weak self, child] in
      _ = await child.exitStatus()
      self?.hasEnded = true
    }
  }

  /// Reads announcements until one has the field, and returns that one; nil when the router has
  /// ended.
  private func announcement(_ field: String) async -> JSONValue? {
    while true {
      while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Array(pending[..<end])
        pending.removeSubrange(...end)
        // Anything but an announcement is not ours to read.
        if let value = try? JSONValue.parse(line), value[field] != nil { return value }
      }
      guard let bytes = await child.read() else { return nil }
      pending += bytes
    }
  }
}
