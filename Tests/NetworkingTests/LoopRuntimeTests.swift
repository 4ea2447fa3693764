import Foundation
import Networking
import Synchronization
import Testing

/// Collects what happened, in order.
final class Journal<Entry: Sendable>: Sendable {
  private let list = Mutex<[Entry]>([])

  func note(_ entry: Entry) {
    list.withLock { $0.append(entry) }
  }

  var entries: [Entry] { list.withLock { $0 } }
}

/// Runs `body` with a runtime and ends that runtime, which fails if a handle was left open.
func withRuntime(_ body: (LoopRuntime) async throws -> Void) async rethrows {
  let runtime = LoopRuntime()
  do {
    try await body(runtime)
  } catch {
    await runtime.stop()
    throw error
  }
  await runtime.stop()
}

private actor Counter {
  let runtime: any Runtime
  private(set) var value = 0

  init(runtime: any Runtime) {
    self.runtime = runtime
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    runtime.executor.asUnownedSerialExecutor()
  }

  func add() {
    value += 1
  }

  /// The value at the first line that runs after an `await` which stays on this actor, while a job
  /// of the actor is waiting.
  func valueAfterStaying() async -> Int {
    Task { self.add() }
    await stay()
    return await withTaskCancellationHandler {
      value
    } onCancel: {
    }
  }

  private func stay() async {}

  nonisolated func addSynchronously() {
    assumeIsolated { $0.value += 1 }
  }
}

struct LoopRuntimeTests {
  @Test func actorsRunOneAtATimeOnTheLoop() async {
    await withRuntime { runtime in
      let counter = Counter(runtime: runtime)
      await withTaskGroup { group in
        for _ in 0..<100 {
          group.addTask { for _ in 0..<10 { await counter.add() } }
        }
      }
      #expect(await counter.value == 1000)
    }
  }

  @Test func nothingSlipsInWhereAnActorDoesNotLeaveItsExecutor() async {
    await withRuntime { runtime in
      for _ in 0..<20 {
        let value = await Counter(runtime: runtime).valueAfterStaying()
        #expect(value == 0)
      }
    }
  }

  @Test func callbacksOfTheRuntimeMayEnterItsActors() async {
    await withRuntime { runtime in
      let counter = Counter(runtime: runtime)
      await withCheckedContinuation { continuation in
        runtime.after(.zero) {
          counter.addSynchronously()
          continuation.resume()
        }
      }
      #expect(await counter.value == 1)
    }
  }

  @Test func codeOffTheLoopMayNotEnterItsActors() async {
    await #expect(processExitsWith: .failure) {
      let counter = Counter(runtime: LoopRuntime())
      counter.addSynchronously()
    }
  }

  @Test func timersComeUpInOrderAndNeverEarly() async throws {
    try await withRuntime { runtime in
      let journal = Journal<Int>()
      let early = Journal<Duration>()
      let start = runtime.now
      for milliseconds in [9, 3, 7, 3, 1] {
        let delay = Duration.milliseconds(milliseconds)
        runtime.after(delay) {
          journal.note(milliseconds)
          if runtime.now - start < delay { early.note(delay) }
        }
      }
      try await runtime.sleep(for: .milliseconds(15))
      #expect(journal.entries == [1, 3, 3, 7, 9])
      #expect(early.entries.isEmpty)
    }
  }

  @Test func aCancelledTimerDoesNotComeUp() async throws {
    try await withRuntime { runtime in
      let journal = Journal<String>()
      let timer = runtime.after(.milliseconds(2)) { journal.note("cancelled") }
      runtime.after(.milliseconds(4)) { journal.note("kept") }
      timer.cancel()
      timer.cancel()
      try await runtime.sleep(for: .milliseconds(6))
      #expect(journal.entries == ["kept"])
    }
  }

  @Test func aCancelledTaskWakesFromItsSleep() async {
    await withRuntime { runtime in
      let sleeper = Task { try await runtime.sleep(for: .seconds(3600)) }
      sleeper.cancel()
      await #expect(throws: CancellationError.self) { try await sleeper.value }
    }
  }

  @Test func aReadableDescriptorIsReportedUntilCancelled() async {
    await withRuntime { runtime in
      var ends: [Int32] = [0, 0]
      #expect(pipe(&ends) == 0)
      let (reading, writing) = (ends[0], ends[1])
      let arrived = Journal<UInt8>()
      await withCheckedContinuation { continuation in
        let watch = Mutex<ScheduledAction?>(nil)
        let action = runtime.watch(descriptor: reading) {
          var byte: UInt8 = 0
          guard read(reading, &byte, 1) == 1 else { return }
          arrived.note(byte)
          if byte == 3 {
            watch.withLock { $0 }?.cancel()
            continuation.resume()
          }
        }
        watch.withLock { $0 = action }
        for byte in UInt8(1)...3 {
          _ = withUnsafeBytes(of: byte) { write(writing, $0.baseAddress, 1) }
        }
      }
      #expect(arrived.entries == [1, 2, 3])
      var last: UInt8 = 4
      write(writing, &last, 1)
      await Counter(runtime: runtime).add()
      #expect(arrived.entries == [1, 2, 3])
      close(reading)
      close(writing)
    }
  }

  @Test func theEndClosesTimersAndWatches() async {
    let runtime = LoopRuntime()
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    runtime.after(.seconds(3600)) {}
    _ = runtime.watch(descriptor: ends[0]) {}
    // Stops the process by a precondition when libuv still has open handles.
    await runtime.stop()
    for end in ends { close(end) }
  }
}
