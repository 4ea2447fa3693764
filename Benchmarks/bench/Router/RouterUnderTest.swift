import Foundation
import Glibc
import SessionsModel

/// The built router as a child process with a place of its own, and what it uses.
final class RouterUnderTest {
  static let key = "key_of_a_bench"
  static let secret = "secret-of-a-bench-on-this-machine"

  let folder: URL
  private(set) var port = 0
  private let child: ChildProgram
  /// From the start of the process to its first answer to a connection.
  private(set) var startMilliseconds = 0.0

  var processID: Int32 { child.processID }
  var database: String { folder.appending(path: "sessions.db").path }

  /// Starts a router and waits until it says where it listens.
  ///
  /// - Parameters:
  ///   - folder: where its configuration and its store are; made when it is not there.
  ///   - faults: what the preloaded disk does wrong; nil for the real disk.
  ///   - sendNanoseconds: what every send costs more.
  @inline(never)
  init(in folder: URL, faults: String? = nil, sendNanoseconds: Int = 0) throws {
    self.folder = folder
    try Self.writeConfiguration(in: folder)
    var environment = ["VOICE_DATA": folder.path]
    if faults != nil || sendNanoseconds > 0 {
      environment["LD_PRELOAD"] = ChildProgram.beside("libRouterFaults.so")
      environment["STORE_FAULTS"] = faults
      environment["SLOW_SEND_NS"] = sendNanoseconds > 0 ? "\(sendNanoseconds)" : nil
    }
    let start = ContinuousClock.now
    child = try ChildProgram(
      ChildProgram.beside("voice"), ["router", "--announce", "--sound-path-only"],
      environment: environment)
    guard let line = child.readLine(), let url = URL(string: Self.url(in: line)),
      let port = url.port
    else {
      child.kill()
      _ = child.wait()
      throw BenchFailure("The router did not start; \(folder.path) is its place.")
    }
    startMilliseconds = Double((ContinuousClock.now - start).components.attoseconds) * 1e-15
    self.port = port
  }

  private static func url(in line: String) -> String {
    // A line that is no announcement names no URL.
    (try? JSONValue.parse(line)["url"]?.stringValue) ?? ""
  }

  private static func writeConfiguration(in folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: "router.yaml")
    guard !FileManager.default.fileExists(atPath: file.path) else { return }
    try """
    listen: 127.0.0.1:0
    apps:
      - key: \(key)
        secret: \(secret)
    agents:
      - name: assistant
        instructions: Be brief.
    limits:
      live_sessions: 100000
      connections: 20000

    """.write(to: file, atomically: true, encoding: .utf8)
  }

  /// The header lines of a backend's request.
  static var headers: String {
    let now = Int(Date().timeIntervalSince1970)
    let token = Token.mint(
      TokenClaims(server: true, issuedAt: now - 5, expiresAt: now + 86_400), secret: secret)
    return "X-Api-Key: \(key)\r\nStream-Auth-Type: server\r\nAuthorization: Bearer \(token)\r\n"
  }

  /// CPU time of all its threads so far, in seconds.
  var cpuSeconds: Double { ChildProgram.cpuSeconds(of: processID) }

  /// Memory of its own, in KiB.
  var residentKiB: Double { ChildProgram.residentKiB(of: processID) }

  func kill() {
    child.kill()
    _ = child.wait()
  }

  /// Lets it end in order.
  func stop() {
    child.closeInput()
    _ = child.wait()
  }

  /// Waits for its end, whatever brings it about.
  ///
  /// - Returns: its exit code, negative for a signal.
  func wait() -> Int32 { child.wait() }
}
