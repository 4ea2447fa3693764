import VisionAgentsCore

/// How long somebody who has asked sits in silence, whatever a provider does.
public enum DeadAir {
  public enum Role: String, CaseIterable, Sendable {
    case recogniser, model, voice
  }

  /// What a provider does with every request of a question and of its repetitions.
  public static let faults: [ProviderFault] = [
    .stall(.seconds(2)), .stall(.seconds(8)), .rateLimited, .hang, .silence, .crash,
  ]

  /// From the last voiced sample to the decision: the silence, and the detectors' windows, in ms.
  public static let decision = 600.0

  /// A recogniser that hears nothing leaves nothing to answer.
  public static func canHappen(_ fault: ProviderFault, to role: Role) -> Bool {
    role != .recogniser || fault != .silence
  }

  /// A world in which one provider fails.
  ///
  /// - Parameter budget: from the end of a turn until something is said, in ms.
  public static func settings(
    _ role: Role, _ fault: ProviderFault, budget: Double, hasSpares: Bool
  ) -> WorldSettings {
    var settings = WorldSettings()
    settings.answerBudgetMilliseconds = Int(budget)
    settings.hasSpares = hasSpares
    let plan = FaultPlan(Dictionary(uniqueKeysWithValues: (0..<6).map { ($0, fault) }))
    switch role {
    case .recogniser: settings.recogniserFaults = plan
    case .model: settings.modelFaults = plan
    case .voice: settings.voiceFaults = plan
    }
    return settings
  }

  /// Silences over `limit` ms between a question's end and the end of what follows it.
  public static func silences(over limit: Double, in world: SimulatedWorld) throws -> Int {
    let voice = try world.joined()
    let question = world.ask()
    try world.run(until: "the turn's end") { !voice.events(.turn).isEmpty }
    let sounds = world.ear.stretches.filter { $0.first > question.lastVoiced }
    var over = 0
    var quietFrom = Double(question.lastVoiced) / 48 + decision
    for sound in sounds {
      let began = Double(sound.first) / 48
      if began - quietFrom > limit { over += 1 }
      quietFrom = began + sound.milliseconds
    }
    return sounds.isEmpty ? over + 1 : over
  }
}
