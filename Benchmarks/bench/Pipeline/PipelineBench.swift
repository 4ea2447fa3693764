import BenchNative
import CVoiceDSP

/// What the core costs beside a plain loop over the same libraries, offline.
struct PipelineBench: Bench {
  let name = "pipeline"
  let summary = "CPU of the core beside a plain C loop over the same libraries"

  let controls = ["canceller=off", "work=twice"]

  func run(_ options: BenchOptions) async throws -> [Figure] {
    let weights = loadWeights()
    defer { vd_vad_weights_release(weights) }
    let scene = try PipelineScene(seconds: options.isQuick ? 20 : 60)
    var core: [Double] = []
    var plain: [Double] = []
    // One of each to warm up, then A B A B; nobody else's work falls on one side only.
    for run in 0...(options.isQuick ? 5 : 9) {
      let ours = try CoreRun(
        scene, weights: weights, cancelsEcho: !options.controls.contains("canceller=off"),
        isTwice: options.controls.contains("work=twice"))
      let theirs = try PlainRun(scene, weights: weights)
      guard ours.result == theirs.result else { throw difference(ours.result, theirs.result) }
      if run > 0 {
        core.append(ours.seconds)
        plain.append(theirs.seconds)
      }
    }
    let perSecond = 1_000 / (Double(scene.blocks) / 100)
    let ratios = zip(core, plain).map { $0 / $1 }
    let ratio = Figure("pipeline_cpu_ratio", ratios, unit: "ratio", bar: 1.05, better: .lower)
      .beside("plain C loop, ms CPU a second", plain.map { $0 * perSecond }, ratio: median(ratios))
    return [
      ratio,
      Figure(
        "pipeline_cpu_ms_per_s", core.map { $0 * perSecond }, unit: "ms", better: .lower),
    ] + (try counted(scene, weights: weights))
      + (try LiveBench(weights: weights, isQuick: options.isQuick).figures())
  }

  /// Memory and calls of one more run, outside the timed ones.
  private func counted(_ scene: PipelineScene, weights: OpaquePointer?) throws -> [Figure] {
    let run = try CoreRun(scene, weights: weights, counts: true)
    let periods = Double(scene.blocks)
    guard run.creation.allocations > 0 else {
      throw BenchFailure("the counters see no allocation, not even the core's own.")
    }
    let highest = max(run.creation.peak_bytes, run.creation.live_bytes + run.steps.peak_bytes)
    let peak = Double(highest) / 1_048_576
    let allocations = Double(run.steps.allocations + run.steps.frees) / periods
    return [
      Figure("core_peak_mib", [peak], unit: "MiB", bar: 16, better: .lower),
      Figure("allocs_per_period", [allocations], unit: "count", bar: 0, better: .lower),
      Figure(
        "own_locks_per_period", [Double(run.steps.own_locks) / periods], unit: "count", bar: 0,
        better: .lower),
      Figure(
        "library_locks_per_period", [Double(run.steps.library_locks) / periods], unit: "count"),
    ]
  }

  /// Without the file both sides judge by energy; the VAD's own bench says that it is missing.
  private func loadWeights() -> OpaquePointer? {
    var weights: OpaquePointer?
    return vd_vad_weights_load(&weights, Places.vadWeights, nil, 0) == 0 ? weights : nil
  }

  private func difference(_ ours: PipelineResult, _ theirs: PipelineResult) -> BenchFailure {
    let packet = zip(ours.uplink, theirs.uplink).enumerated().first { $1.0 != $1.1 }?.offset
    let sample = zip(ours.speaker, theirs.speaker).enumerated().first { $1.0 != $1.1 }?.offset
    return BenchFailure(
      "the core and the plain loop disagree: packets \(ours.uplink.count) and "
        + "\(theirs.uplink.count), first other packet \(packet.map(String.init) ?? "none"), "
        + "first other speaker sample \(sample.map(String.init) ?? "none").")
  }
}
