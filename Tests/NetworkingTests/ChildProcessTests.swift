import Glibc
import Networking
import Testing

struct ChildProcessTests {
  private func readAll(_ child: ChildProcess) async -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = await child.read() { bytes += piece }
    return bytes
  }

  @Test func whatIsWrittenComesBackThroughCat() async throws {
    try await withRuntime { runtime in
      let child = try await ChildProcess.launch("/bin/cat", runtime: runtime)
      let sent = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
      let writer = Task {
        for start in stride(from: 0, to: sent.count, by: 100_000) {
          try await child.write(Array(sent[start..<start + 100_000]))
        }
        await child.closeInput()
      }
      let received = await readAll(child)
      try await writer.value
      #expect(received == sent)
      #expect(await child.exitStatus() == .exited(code: 0))
    }
  }

  @Test func aWriterIsHeldBackByAChildThatDoesNotRead() async throws {
    try await withRuntime { runtime in
      let child = try await ChildProcess.launch("/bin/sleep", arguments: ["60"], runtime: runtime)
      let journal = Journal<Int>()
      let writer = Task {
        for round in 0..<100 {
          try await child.write([UInt8](repeating: 0, count: 100_000))
          journal.note(round)
        }
      }
      while journal.entries.count < 11 { try await runtime.sleep(for: .milliseconds(1)) }
      try await runtime.sleep(for: .milliseconds(20))
      #expect(journal.entries.count < 20)
      await child.kill()
      #expect(await child.exitStatus() == .killed(signal: 9))
      await #expect(throws: ChildProcess.Failure.inputClosed(path: "/bin/sleep")) {
        try await writer.value
      }
    }
  }

  @Test func linesOfStandardErrorArrive() async throws {
    try await withRuntime { runtime in
      let journal = Journal<String>()
      let child = try await ChildProcess.launch(
        "/bin/sh", arguments: ["-c", "echo one >&2; printf two >&2; exit 3"], runtime: runtime,
        onErrorLine: journal.note)
      #expect(await child.exitStatus() == .exited(code: 3))
      while journal.entries.count < 2 { try await runtime.sleep(for: .milliseconds(1)) }
      #expect(journal.entries == ["one", "two"])
    }
  }

  @Test func theChildSeesTheGivenEnvironmentOnly() async throws {
    try await withRuntime { runtime in
      let child = try await ChildProcess.launch(
        "/usr/bin/env", environment: ["LC_ALL": "C"], runtime: runtime)
      #expect(String(decoding: await readAll(child), as: UTF8.self) == "LC_ALL=C\n")
    }
  }

  @Test func aMissingProgramIsAnError() async throws {
    await withRuntime { runtime in
      await #expect(
        throws: ChildProcess.Failure.notStarted(
          path: "/no/such/program", reason: "no such file or directory")
      ) {
        _ = try await ChildProcess.launch("/no/such/program", runtime: runtime)
      }
    }
  }

  @Test func theEndOfTheRuntimeKillsTheChild() async throws {
    let runtime = LoopRuntime()
    let child = try await ChildProcess.launch("/bin/sleep", arguments: ["60"], runtime: runtime)
    let processID = await child.processID
    #expect(kill(processID, 0) == 0)
    await runtime.stop()
    #expect(kill(processID, 0) == -1 && errno == ESRCH)
  }
}
