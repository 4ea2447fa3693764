import CAudioDevice
import CVoiceCore
import Foundation
import Synchronization

/// The audio thread in real time while every core is wanted by somebody else. Not in the ratchet: what
/// a machine does under such load says as much about the machine.
struct BusyBench: Bench {
  let name = "busy"
  let summary = "60 s in real time beside two CPU hogs: how late a block is read, p99"
  let controls = ["priority=low"]

  /// Half a period: a block that is read later than that was not woken for by a realtime priority.
  private static let bar = 5.0

  func run(_ options: BenchOptions) async throws -> [Figure] {
    guard ad_realtime_is_permitted() != 0 else {
      return [
        Figure("busy_late_p99_ms", unit: "ms", why: "SCHED_FIFO is not permitted to this process")
      ]
    }
    let isControl = options.controls.contains("priority=low")
    let scene = try PipelineScene(seconds: 4)
    let room = try LiveRoom()
    try room.say(scene, blocks: 400)
    let core = try LiveCore(scene, weights: nil)
    try core.pass(until: 100)
    if isControl { try core.loseItsPriority() }
    let hogs = Hogs()
    defer { hogs.stop() }
    var late: [Double] = []
    let end = core.blocks + (isControl ? 200 : options.isQuick ? 500 : 6_000)
    while core.blocks < end {
      try core.pass(until: core.blocks + 1)
      late.append(core.lateness)
    }
    core.close()
    late.sort()
    var figure = Figure("busy_late_p99_ms", late, unit: "ms", bar: Self.bar, better: .lower)
    figure.value = late[late.count * 99 / 100]
    return [figure, Figure("busy_xruns", [Double(core.xruns)], unit: "count", better: .lower)]
  }
}

/// Two threads that compute for nothing.
private final class Hogs: Sendable {
  private let isOver = Atomic(false)

  init() {
    for _ in 0..<2 {
      Thread.detachNewThread { [self] in
        var value: UInt64 = 1
        while !isOver.load(ordering: .relaxed) {
          for _ in 0..<1_000 { value = value &* 6_364_136_223_846_793_005 &+ 1 }
        }
        // So that no compiler finds the sum needless.
        if value == 0 { print("") }
      }
    }
  }

  func stop() { isOver.store(true, ordering: .relaxed) }
}
