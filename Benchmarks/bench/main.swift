import Foundation

let benches: [any Bench] = [
  V2VBench(), PipelineBench(), VoiceActivityBench(), RingsBench(), EchoBench(),
  ClocksBench(), LatencyBench(), SoakBench(), BusyBench(), APIBench(), EventsBench(), CrashBench(),
  TurnsBench(),
]

let usage = """
  usage: bench NAME... [--quick] [--peers] [SWITCH=off]
         bench all [--quick]     runs everything and writes \(Report.path)
  --peers runs other people's systems beside ours where a bench has them (v2v: pipecat, installed
  into the cache once).
  benches:
  \(benches.map(describe).joined(separator: "\n"))

  """

func fail(_ sentence: String) -> Never {
  FileHandle.standardError.write(Data((sentence + "\n").utf8))
  exit(1)
}

func describe(_ bench: any Bench) -> String {
  let controls = bench.controls.map { "; must fail with \($0)" }.joined()
  return "    \(bench.name): \(bench.summary)\(controls)"
}

let arguments = CommandLine.arguments.dropFirst()
let switches = Set(arguments.filter { $0.contains("=") })
let flags: Set = ["--quick", "--peers"]
let options = BenchOptions(
  isQuick: arguments.contains("--quick"), isBesidePeers: arguments.contains("--peers"),
  controls: switches)
let names = arguments.filter { !flags.contains($0) && !switches.contains($0) }
if names.isEmpty || names.contains("--help") {
  print(usage, terminator: "")
  exit(names.isEmpty ? 1 : 0)
}
for name in names where name != "all" && !benches.contains(where: { $0.name == name }) {
  fail("There is no bench named '\(name)'.\n\(usage)")
}

for control in switches where !benches.contains(where: { $0.controls.contains(control) }) {
  fail("There is no switch '\(control)'.\n\(usage)")
}

let chosen = names.contains("all") ? benches : benches.filter { names.contains($0.name) }
var results: [(bench: String, figures: [Figure])] = []
FileHandle.standardError.write(Data("\(Machine.line)\n".utf8))
do {
  for bench in chosen {
    let figures = try await bench.run(options)
    try Report.printLines(figures)
    Report.printTable(figures, of: bench.name)
    if !switches.isDisjoint(with: bench.controls) { try figures.failUnderControl(options) }
    results.append((bench.name, figures))
  }
  if names.contains("all") { try Report.writePage(results) }
} catch {
  fail("The bench failed: \(error)")
}
