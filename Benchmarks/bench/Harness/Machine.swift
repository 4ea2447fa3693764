import Foundation
import Glibc

/// What the figures were measured on, in one line.
enum Machine {
  static var line: String {
    let processor = firstValue(in: "/proc/cpuinfo", of: "model name") ?? "unknown processor"
    let load = text(of: "/proc/loadavg").split(separator: " ").prefix(3).joined(separator: " ")
    let kernel = text(of: "/proc/sys/kernel/osrelease").trimmingCharacters(
      in: .whitespacesAndNewlines)
    return
      "\(ProcessInfo.processInfo.activeProcessorCount) x \(processor), Linux \(kernel), load \(load)"
  }

  /// CPU time of the calling thread in seconds.
  static var threadSeconds: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
  }

  /// The commit of the checkout, for the table.
  static var commit: String {
    let git = Process()
    git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    git.arguments = ["git", "describe", "--always", "--dirty"]
    let output = Pipe()
    git.standardOutput = output
    git.standardError = FileHandle.nullDevice
    guard (try? git.run()) != nil else { return "unknown" }  // No git: the table says so.
    let name = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    return name.isEmpty ? "unknown" : name.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func text(of path: String) -> String {
    // A machine without this file is described without it.
    (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
  }

  private static func firstValue(in path: String, of key: String) -> String? {
    text(of: path).split(separator: "\n").first { $0.hasPrefix(key) }
      .flatMap { $0.split(separator: ":", maxSplits: 1).last }
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }
}
