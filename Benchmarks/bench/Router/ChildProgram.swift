import Foundation
import Glibc
import SessionsModel

/// A program of the build as a child process, read line by line.
///
/// What throws is not inlined: the optimizer (6.3.1) breaks several throws of one kind in one async
/// closure.
final class ChildProgram {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var pending = Data()

  @inline(never)
  init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw BenchFailure("\(path) is missing: build everything first.")
    }
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  /// A program or library that the build puts beside this one.
  static func beside(_ name: String) -> String {
    let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    return own.deletingLastPathComponent().appending(path: name).path
  }

  var processID: Int32 { process.processIdentifier }

  /// The next line of its output; nil at the end.
  func readLine() -> String? {
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: pending[pending.startIndex..<end], as: UTF8.self)
        pending.removeSubrange(pending.startIndex...end)
        return line
      }
      let bytes = output.fileHandleForReading.availableData
      if bytes.isEmpty { return nil }
      pending.append(bytes)
    }
  }

  /// The next line as one JSON object.
  @inline(never)
  func readFigures() throws -> JSONValue {
    guard let line = readLine() else { throw BenchFailure("A load program ended early.") }
    return try JSONValue.parse(line)
  }

  /// Lets it go on where it waits for a line.
  func goOn() {
    // One that has ended has no more need of it.
    try? input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
  }

  func closeInput() {
    try? input.fileHandleForWriting.close()  // Closed already is as good.
  }

  func kill() { Glibc.kill(processID, SIGKILL) }

  func wait() -> Int32 {
    process.waitUntilExit()
    return process.terminationReason == .exit
      ? process.terminationStatus : -process.terminationStatus
  }

  /// CPU time of all threads of a process so far, in seconds.
  static func cpuSeconds(of processID: Int32) -> Double {
    let tasks = "/proc/\(processID)/task"
    // A thread may end while it is looked at.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
    return names.reduce(0) { sum, name in
      let line = (try? String(contentsOfFile: "\(tasks)/\(name)/schedstat", encoding: .utf8)) ?? ""
      return sum + (Double(line.split(separator: " ").first ?? "") ?? 0) * 1e-9
    }
  }

  static func residentKiB(of processID: Int32) -> Double {
    let text = (try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
  }
}

/// The clients of a router, in a process of their own.
enum Load {
  /// Runs one to its end and returns what it printed last.
  @discardableResult
  @inline(never)
  static func run(_ arguments: [String]) throws -> JSONValue {
    let program = try start(arguments)
    var last: JSONValue?
    while let line = program.readLine() { last = try JSONValue.parse(line) }
    _ = program.wait()
    guard let last else { throw BenchFailure("bench-load \(arguments[0]) said nothing.") }
    return last
  }

  @inline(never)
  static func start(_ arguments: [String]) throws -> ChildProgram {
    try ChildProgram(ChildProgram.beside("bench-load"), arguments)
  }
}

extension JSONValue {
  /// A number the load program printed.
  @inline(never)
  func number(_ name: String) throws -> Double {
    guard let number = self[name]?.doubleValue else {
      throw BenchFailure("A load program printed no \(name): \(serializedText)")
    }
    return number
  }
}

/// A folder of this run, gone when it ends.
func withPlace<Result>(_ body: (URL) async throws -> Result) async throws -> Result {
  let folder = FileManager.default.temporaryDirectory.appending(
    path: "voice-bench-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: folder) }  // What is left harms nobody.
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return try await body(folder)
}
