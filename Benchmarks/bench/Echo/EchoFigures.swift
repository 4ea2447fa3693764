import EchoScenes

/// The figures that have bars: our own chain on the held-out half.
struct EchoFigures {
  let lines: [EchoLine]

  private static let reference = "0.3 plain low"

  var all: [Figure] {
    let ours = held("ours")
    let peer = held(Self.reference)
    let alone = judgements(of: "ours", in: Int(ECHO_ALONE))
    let fresh = judgements(of: "ours", in: Int(ECHO_FRESH))
    var figures = [
      mean("dt_recall", \.recall, ours, peer, bar: 0.97, better: .higher),
      beside(
        peer.map(\.recall).min(),
        Figure(
          "dt_recall_worst", [ours.map(\.recall).min() ?? 0], unit: "ratio", bar: 0.9,
          better: .higher)),
      mean("dt_estoi", \.estoi, ours, peer, bar: 0.85, better: .higher),
      mean("echo_as_speech_pct", \.echo_speech_pct, ours, peer, unit: "%", bar: 0.5),
      mean("echo_as_speech_first2s_pct", \.first2s_pct, ours, peer, unit: "%", bar: 1),
      beside(
        tenMinutes(judgements(of: Self.reference, in: Int(ECHO_ALONE))),
        Figure(
          "echo_false_starts_10min", [tenMinutes(alone) ?? 0], unit: "count", bar: 0, better: .lower
        )
      ),
      Figure(
        "near_gain_db", [ours.map { abs($0.person_gain_db) }.max() ?? 0], unit: "dB", bar: 0.5,
        better: .lower),
      loss("drift_recall_loss", of: "drift", \.recall),
      loss("drift_estoi_loss", of: "drift", \.estoi),
      loss("delay_recall_loss", of: "delay", \.recall),
      loss("delay_estoi_loss", of: "delay", \.estoi),
      Figure(
        "echo_added_latency_ms", [median(ours.map(\.lag_ms)) ?? 0], unit: "ms", bar: 10,
        better: .lower),
      Figure(
        "echo_cpu_p50_us", [median(ours.map(\.cpu_p50_us)) ?? 0], unit: "us", better: .lower),
      Figure(
        "echo_cpu_p99_us", [median(ours.map(\.cpu_p99_us)) ?? 0], unit: "us", bar: 500,
        better: .lower),
      Figure(
        "echo_scenes_unlike_recorded", [Double(lines.filter(\.hasOtherHash).count)], unit: "count",
        bar: 0, better: .lower),
    ]
    if !fresh.isEmpty {
      // Rooms that nobody has seen: a gate with a wide margin.
      figures.append(mean("dt_recall_fresh", \.recall, fresh, [], bar: 0.9, better: .higher))
      figures.append(
        mean("echo_as_speech_fresh_pct", \.echo_speech_pct, fresh, [], unit: "%", bar: 3))
    }
    return figures
  }

  private func judgements(of row: String, in part: Int) -> [echo_judgement] {
    lines.filter { $0.part == part && $0.row == row && $0.missing == nil }.map(\.judgement)
  }

  private func held(_ row: String) -> [echo_judgement] {
    judgements(of: row, in: Int(ECHO_HELD_OUT))
  }

  private func mean(
    _ name: String, _ path: KeyPath<echo_judgement, Double>, _ ours: [echo_judgement],
    _ peer: [echo_judgement], unit: String = "ratio", bar: Double, better: Figure.Better = .lower
  ) -> Figure {
    func average(_ all: [echo_judgement]) -> Double {
      all.map { $0[keyPath: path] }.reduce(0, +) / Double(max(all.count, 1))
    }
    let figure = Figure(name, [average(ours)], unit: unit, bar: bar, better: better)
    return peer.isEmpty ? figure : figure.beside(Self.reference, [average(peer)])
  }

  /// - Parameter peer: nil when its row did not run (`--quick`).
  private func beside(_ peer: Double?, _ figure: Figure) -> Figure {
    peer.map { figure.beside(Self.reference, [$0]) } ?? figure
  }

  /// False starts; nil when nothing was measured.
  private func tenMinutes(_ all: [echo_judgement]) -> Double? {
    let minutes = all.map(\.far_minutes).reduce(0, +)
    return minutes > 0 ? all.map(\.false_starts).reduce(0, +) / minutes * 10 : nil
  }

  /// How much less than in the base scene, in the worst scene of a family.
  private func loss(
    _ name: String, of family: String, _ path: KeyPath<echo_judgement, Double>
  ) -> Figure {
    let own = lines.filter { $0.part == Int(ECHO_HELD_OUT) && $0.row == "ours" }
    guard let base = own.first(where: { $0.scene == "base" }) else {
      return Figure(name, unit: "ratio", why: "there is no base scene")
    }
    let losses = own.filter { $0.scene.hasPrefix(family + "_") && $0.scene != "delay_step" }
      .map { base.judgement[keyPath: path] - $0.judgement[keyPath: path] }
    return Figure(name, [losses.max() ?? 0], unit: "ratio", bar: 0.02, better: .lower)
  }
}
