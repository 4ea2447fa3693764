import Foundation
import SessionsModel

/// pipecat with the same models and questions, in real time on the same machine.
///
/// What runs is `Benchmarks/references/pipecat`, with the server of its language model beside it. It
/// hands its sound to nobody: no device, no air and no call are counted against it.
struct V2VPipecat {
  let version: String
  /// From the last voiced sample handed in to the first audible one handed out, in ms, by question.
  let recorded: [Double]
  /// What pipecat itself says of these turns, in ms.
  let reported: [Double]
  /// Questions without an audible answer within 6 s.
  let lost: Int

  /// Why there is no figure of it.
  struct Missing: Error {
    let why: String
  }

  /// - Parameter questions: how many of the recorded questions are asked.
  /// - Throws: ``Missing`` when pipecat cannot be had; ``BenchFailure`` when its run fails.
  static func converse(questions: Int) throws -> V2VPipecat {
    let program = try ChildProgram(
      "/usr/bin/env",
      [
        "python3", "-B", "Tests/RealServers/run.py", "--only", "chat", "python3", "-B",
        "Benchmarks/references/pipecat/run.py", Places.fixtures + "/questions.json",
        Places.fixtures, "\(questions)",
      ])
    // Before the one line of JSON come those of the servers' start.
    var lines: [String] = []
    while let line = program.readLine() { lines.append(line) }
    let code = program.wait()
    if let skipped = lines.first(where: { $0.hasPrefix("skipped: ") }) {
      throw Missing(why: skipped)
    }
    guard code == 0, let last = lines.last(where: { $0.hasPrefix("{") }) else {
      throw BenchFailure("pipecat ended with \(code): \(lines.suffix(5).joined(separator: " "))")
    }
    let answer = try JSONValue.parse(last)
    if let why = answer["why"]?.stringValue { throw Missing(why: why) }
    return V2VPipecat(
      version: answer["version"]?.stringValue ?? "of an unknown version",
      recorded: answer["v2v_ms"]?.arrayValue?.compactMap(\.doubleValue) ?? [],
      reported: answer["reported_ms"]?.arrayValue?.compactMap(\.doubleValue) ?? [],
      lost: Int(try answer.number("lost")))
  }
}
