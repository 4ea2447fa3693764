import Networking
import Testing

@testable import Providers

@Suite struct WorkerLifecycleTests {
  private let ready = WorkerReady(role: "stt", name: "tiny.en", licence: "MIT", rate: 16_000)

  private func running() -> WorkerLifecycle {
    var lifecycle = WorkerLifecycle(name: "speech-to-text")
    #expect(lifecycle.start() == [.launch, .armStartLimit])
    #expect(lifecycle.becameReady(ready) == [.admitRequests])
    return lifecycle
  }

  @Test func aCrashFailsTheRequestsAndStartsAgainAfterTheBackOff() {
    var lifecycle = running()
    let sentence = "The speech-to-text worker ended (signal 9)."
    #expect(
      lifecycle.ended("signal 9") == [
        .failRequests(.unavailable(sentence)), .report(sentence),
        .relaunch(after: .milliseconds(100)),
      ])
    #expect(lifecycle.backOffPassed() == [.launch, .armStartLimit])
    #expect(lifecycle.restarts == 1)
    #expect(lifecycle.becameReady(ready) == [.admitRequests])
    #expect(lifecycle.trouble == nil)
  }

  @Test func theBackOffDoublesToTenSecondsAndStartsOverAfterASuccess() {
    var lifecycle = running()
    var waits: [Duration] = []
    for _ in 0..<9 {
      for case .relaunch(let wait) in lifecycle.ended("exit status 1") { waits.append(wait) }
      _ = lifecycle.backOffPassed()
    }
    #expect(
      waits.map(\.milliseconds) == [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000])
    _ = lifecycle.becameReady(ready)
    lifecycle.requestSucceeded()
    #expect(lifecycle.ended("exit status 1").last == .relaunch(after: .milliseconds(100)))
  }

  @Test func whatItCannotStartWithIsSaidOnce() {
    var lifecycle = WorkerLifecycle(name: "model")
    _ = lifecycle.start()
    _ = lifecycle.reportedStartupError("The file a.gguf is missing; run make setup.")
    let first = lifecycle.ended("exit status 1")
    #expect(first.contains(.report("The file a.gguf is missing; run make setup.")))
    _ = lifecycle.backOffPassed()
    _ = lifecycle.reportedStartupError("The file a.gguf is missing; run make setup.")
    let second = lifecycle.ended("exit status 1")
    #expect(!second.contains(.report("The file a.gguf is missing; run make setup.")))
    #expect(lifecycle.trouble == "The file a.gguf is missing; run make setup.")
  }

  @Test func silenceABrokenFrameAndALateStartEndTheProcess() {
    var silent = running()
    #expect(silent.silenceLimitPassed(.seconds(10)).first == .kill)
    var broken = running()
    #expect(broken.wroteBrokenFrame("a frame of 3 bytes").first == .kill)
    var late = WorkerLifecycle(name: "voice")
    _ = late.start()
    #expect(late.startLimitPassed(.seconds(30)).first == .kill)
  }

  @Test func whatComesAfterALossIsIgnored() {
    var lifecycle = running()
    _ = lifecycle.wroteBrokenFrame("nonsense")
    #expect(lifecycle.ended("signal 9") == [])
    #expect(lifecycle.becameReady(ready) == [])
    #expect(lifecycle.silenceLimitPassed(.seconds(10)) == [])
    #expect(lifecycle.restarts == 0)
  }

  @Test func aStoppedWorkerStaysStopped() {
    var lifecycle = running()
    #expect(lifecycle.stop().first == .kill)
    #expect(lifecycle.ended("signal 9") == [])
    #expect(lifecycle.backOffPassed() == [])
  }
}
