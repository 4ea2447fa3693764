import VisionAgentsCore

// A conversation as most tests hold it.
extension SimulatedWorld {
  /// A session with this device on its call.
  public func joined() throws -> SimulatedVoice {
    let voice = try startVoice()
    try voice.join()
    run(for: .milliseconds(500))
    return voice
  }

  /// Asks one question after the other, each a while after the answer before it.
  public func converse(
    questions: Int
  ) throws -> (voice: SimulatedVoice, utterances: [Utterance]) {
    let voice = try joined()
    var utterances: [Utterance] = []
    for number in 1...questions {
      utterances.append(ask())
      try run(until: "turn \(number)") { voice.events(.turn).count == number }
      run(for: .milliseconds(500))
    }
    return (voice, utterances)
  }

  /// A question that begins and ends anywhere within the windows of the detectors.
  @discardableResult
  public func ask(after delay: Duration = .milliseconds(800)) -> Utterance {
    let chance = runtime.randomUInt64()
    return say(
      after: delay + .microseconds(Int64(chance % 40_000)),
      for: .milliseconds(900) + .microseconds(Int64((chance >> 32) % 400_000)))
  }
}
