import Foundation
import Networking
import SessionsModel

/// The router as a child process on loopback; it ends with this process, whose pipe it reads.
@MainActor
final class RouterProcess {
  /// Where it listens.
  let url: URL
  private let child: ChildProcess

  private init(url: URL, child: ChildProcess) {
    self.url = url
    self.child = child
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
    var pending: [UInt8] = []
    while let bytes = await child.read() {
      pending += bytes
      guard let end = pending.firstIndex(of: UInt8(ascii: "\n")) else { continue }
      guard let line = try? JSONValue.parse(Array(pending[..<end])),
        let address = line["url"]?.stringValue, let url = URL(string: address)
      else {
        // Anything but the announcement is not ours to read.
        pending.removeSubrange(...end)
        continue
      }
      return RouterProcess(url: url, child: child)
    }
    let status = await child.exitStatus()
    throw FileFault("the router did not start (\(status)). \(log.lastLine)")
  }

  /// Lets it end by itself and waits for it.
  func stop() async {
    await child.closeInput()
    _ = await child.exitStatus()
  }
}
