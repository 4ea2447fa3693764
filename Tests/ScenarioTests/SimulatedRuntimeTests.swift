import Networking
import Simulation
import Testing

/// The scheduler every scenario stands on.
struct SimulatedRuntimeTests {
  /// An actor of a runtime, as every actor of the product is written.
  actor Clerk {
    let runtime: any Runtime
    nonisolated var unownedExecutor: UnownedSerialExecutor {
      runtime.executor.asUnownedSerialExecutor()
    }
    private(set) var log: [String] = []

    init(runtime: any Runtime) {
      self.runtime = runtime
    }

    func work(_ name: String, pauses: Int) async throws {
      for step in 0..<pauses {
        try await runtime.sleep(for: .milliseconds(Int(runtime.randomUInt64() % 40)))
        log.append("\(runtime.now.nanoseconds) \(name)\(step)")
      }
    }
  }

  private func log(seed: UInt64) async -> [String] {
    let runtime = SimulatedRuntime(seed: seed)
    let clerk = Clerk(runtime: runtime)
    let finished = Shared(0)
    for name in ["a", "b", "c", "d"] {
      Task(executorPreference: runtime) {
        try await clerk.work(name, pauses: 50)
        finished.update { $0 += 1 }
      }
    }
    runtime.run(until: { finished.value == 4 }, limit: .seconds(60))
    let log = Shared<[String]>([])
    Task(executorPreference: runtime) {
      let entries = await clerk.log
      log.value = entries
    }
    runtime.run(until: { !log.value.isEmpty }, limit: .seconds(1))
    return log.value
  }

  @Test func oneSeedGivesOneOrder() async {
    let first = await log(seed: 7)
    #expect(first.count == 200)
    #expect(await log(seed: 7) == first)
  }

  @Test func anotherSeedGivesAnotherOrder() async {
    #expect(await log(seed: 7) != log(seed: 8))
  }

  @Test func theClockStandsStillWhileSomethingIsReady() {
    let runtime = SimulatedRuntime(seed: 1)
    let count = Shared(0)
    Task(executorPreference: runtime) {
      for _ in 0..<1_000 { await Task.yield() }
      count.value = Int(runtime.now.nanoseconds) + 1
    }
    runtime.after(.milliseconds(1)) {}
    runtime.run(until: { count.value > 0 }, limit: .seconds(1))
    #expect(count.value == 1)
  }

  @Test func aCancelledSleepEndsAtOnce() {
    let runtime = SimulatedRuntime(seed: 1)
    let ended = Shared<Int64?>(nil)
    let task = Task(executorPreference: runtime) {
      do {
        try await runtime.sleep(for: .seconds(100))
      } catch {
        ended.value = runtime.now.nanoseconds
      }
    }
    runtime.after(.seconds(2)) { task.cancel() }
    runtime.run(until: { ended.value != nil }, limit: .seconds(50))
    #expect(ended.value == 2_000_000_000)
  }
}
