import BenchNative

/// The live half of the pipeline bench: the audio thread on the simulated room in real time, beside
/// the plain loop on the same room, in turns.
struct LiveBench {
  let weights: OpaquePointer?
  let isQuick: Bool
  /// Before that everything warms up.
  private static let measuredFrom = 100

  func figures() throws -> [Figure] {
    let seconds = isQuick ? 4 : 12
    let scene = try PipelineScene(seconds: seconds + 2)
    let blocks = Self.measuredFrom + seconds * 100
    let room = try LiveRoom()
    var ours: [Double] = []
    var theirs: [Double] = []
    do {
      for _ in 0..<(isQuick ? 2 : 5) {
        try room.say(scene, blocks: blocks)
        let core = try LiveCore(scene, weights: weights)
        try core.pass(until: Self.measuredFrom)
        let begun = (try core.threadSeconds(), core.blocks)
        try core.pass(until: blocks)
        ours.append(
          (try core.threadSeconds() - begun.0) / Double(core.blocks - begun.1) * 100_000)
        core.close()
        try room.say(scene, blocks: blocks)
        let spent = try PlainRun.liveSeconds(
          scene, weights: weights, blocks: blocks, measuredFrom: Self.measuredFrom)
        theirs.append(spent / Double(blocks - Self.measuredFrom) * 100_000)
      }
    } catch let failure as BenchFailure {
      // A machine without a free core cannot say; the offline half stands.
      return [Figure("live_cpu_ratio", unit: "ratio", why: failure.description)]
    }
    let ratios = zip(ours, theirs).map { $0 / $1 }
    return [
      Figure("live_cpu_ratio", ratios, unit: "ratio", bar: 1.3, better: .lower)
        .beside("plain C loop, ms CPU a second", theirs, ratio: median(ratios)),
      Figure("live_cpu_ms_per_s", ours, unit: "ms", better: .lower),
    ] + (try calls(scene, room: room))
  }

  /// What the audio thread asks of the C library and the kernel; watched apart, for that slows it.
  private func calls(_ scene: PipelineScene, room: LiveRoom) throws -> [Figure] {
    try room.say(scene, blocks: 400)
    let core = try LiveCore(scene, weights: weights)
    defer { core.close() }
    try core.pass(until: Self.measuredFrom)
    var watch: OpaquePointer?
    let result = thread_watch_begin(&watch, "voice-audio")
    guard result == 0 else {
      return [
        Figure(
          "live_other_syscalls_per_period", unit: "count",
          why: "the thread cannot be watched here (error \(-result))")
      ]
    }
    let before = core.blocks
    try core.pass(until: before + 200)
    let periods = Double(core.blocks - before)
    var calls = thread_calls()
    guard thread_watch_end(watch, &calls) == 0 else {
      throw BenchFailure("The watch over the audio thread was lost.")
    }
    func each(_ name: String, _ count: UInt64, bar: Double? = nil) -> Figure {
      Figure(
        "live_\(name)_per_period", [Double(count) / periods], unit: "count", bar: bar,
        better: .lower)
    }
    let library = calls.library
    return [
      each("allocs", library.allocations + library.frees, bar: 0),
      each("own_locks", library.own_locks, bar: 0),
      each("library_locks", library.library_locks),
      each("syscalls", calls.polls + calls.wakes + calls.card + calls.sleeps),
      each("wakes", calls.wakes, bar: 1),
      each("other_syscalls", calls.others, bar: 0),
    ]
  }
}
