import Simulation
import VisionAgentsCore

extension SimulatedWorld {
  /// A session with this device on its call.
  func joined() throws -> SimulatedVoice {
    let voice = try startVoice()
    try voice.join()
    run(for: .milliseconds(500))
    return voice
  }

  @discardableResult
  func ask() -> Utterance {
    say(after: .milliseconds(800), for: .milliseconds(1_100))
  }

  /// Asks one question after the other, each a while after the answer before it.
  func converse(
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
}
