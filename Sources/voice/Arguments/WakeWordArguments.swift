import VisionAgentsCore

extension Arguments.Option {
  /// The options of a device that listens only after a word.
  static let wakeWord = [
    Arguments.Option(
      "--wake-word", value: "NAME",
      "wait for it: alexa, hey_jarvis, hey_mycroft, okay_nabu, FILE.json"),
    Arguments.Option(
      "--follow-up", value: "N", "seconds of listening without the word after speech (8)"),
  ]
}

extension Arguments {
  /// The word after which the device listens; nil when it listens always.
  func wakeWord() throws(UsageError) -> WakeWord? {
    let followUp = try integer("--follow-up", in: 1...600)
    guard let name = self["--wake-word"] else { return nil }
    var word = WakeWord(name)
    if let followUp { word.followUp = .seconds(followUp) }
    return word
  }
}
