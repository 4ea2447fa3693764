import CAudioDevice
import CVoiceCore
import Foundation

/// Days on a device with two clocks, in virtual time: nothing may run dry, grow or be lost.
struct SoakBench: Bench {
  let name = "soak"
  let summary = "72 simulated hours with the DSP stubbed, 2 with it real; one hour when quick"
  let controls = ["drift=off"]

  func run(_ options: BenchOptions) async throws -> [Figure] {
    let followsDrift = !options.controls.contains("drift=off")
    var stubbed = try SoakRun(hours: options.isQuick ? 1 : 72, isReal: false, followsDrift)
    try stubbed.run()
    var real = try SoakRun(hours: options.isQuick ? 0.05 : 2, isReal: true, followsDrift)
    try real.run()
    let runs = [stubbed, real]
    let xruns = runs.map { Double($0.xruns) }
    guard followsDrift || stubbed.xruns == 0 else {
      throw BenchFailure("the speaker ran dry or its buffer over \(stubbed.xruns) times.")
    }
    return [
      Figure("soak_hours", [stubbed.hours], unit: "h"),
      Figure("soak_real_hours", [real.hours], unit: "h"),
      sum("soak_xruns", xruns, bar: 0),
      sum("soak_unheard_generations", runs.map { Double($0.unheard) }, bar: 0),
      largest("soak_latency_ms", runs.map(\.latency), unit: "ms", bar: 15),
      largest("soak_clock_error_ms", runs.map(\.clock), unit: "ms", bar: 2),
      stubbed.slope(of: \.memoryKiB, "soak_memory_slope_kib_h", unit: "KiB/h", bar: 64),
      largest("soak_descriptors_more", runs.map(\.descriptorsMore), unit: "count", bar: 0),
      Figure("soak_speed", [stubbed.speed], unit: "times real time", better: .higher),
    ]
  }

  private func sum(_ name: String, _ runs: [Double], bar: Double) -> Figure {
    var figure = Figure(name, runs, unit: "count", bar: bar, better: .lower)
    figure.value = runs.reduce(0, +)
    return figure
  }

  private func largest(_ name: String, _ runs: [Double], unit: String, bar: Double) -> Figure {
    var figure = Figure(name, runs, unit: unit, bar: bar, better: .lower)
    figure.value = runs.max()
    return figure
  }
}
