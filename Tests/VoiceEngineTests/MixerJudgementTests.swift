import Testing

@testable import VoiceEngine

@Suite struct MixerJudgementTests {
  private func volume(
    _ name: String, _ direction: MixerElement.Direction, _ level: Double, decibels: Double? = nil,
    isOn: Bool? = nil
  ) -> MixerElement {
    MixerElement(
      name: name, direction: direction, isOn: isOn, level: level,
      decibels: decibels.map { .init(value: $0, least: -40, most: 30) })
  }

  private func problems(_ elements: [MixerElement]) -> [String] {
    MixerJudgement(elements).findings.map { "\($0.problem) \($0.element.name)" }
  }

  private var healthy: [MixerElement] {
    [
      volume("Speaker", .playback, 0.75, isOn: true),
      volume("Headphone", .playback, 0, isOn: false),
      volume("PCM", .playback, 1), volume("Capture", .capture, 0.7, isOn: true),
      volume("Mic Boost", .capture, 0.33, decibels: 10),
      MixerElement(name: "IEC958", direction: .playback, isOn: false),
      volume("Line", .capture, 0, isOn: false),
    ]
  }

  @Test func nothingHealthyIsBlamed() {
    #expect(problems(healthy).isEmpty)
    #expect(MixerJudgement([]).findings.isEmpty)
    #expect(MixerJudgement([]).plan(playback: 0.7, capture: 0.7).isEmpty)
  }

  @Test(arguments: [
    (0, "muted Speaker"), (2, "muted PCM"), (3, "muted Capture"),
  ])
  func whatLetsNothingThroughIsNamed(index: Int, problem: String) {
    var elements = healthy
    elements[index].level = 0
    #expect(problems(elements) == [problem])
  }

  @Test func aSwitchThatIsOffIsNamed() {
    var elements = healthy
    elements[3].isOn = false
    #expect(problems(elements) == ["muted Capture"])
    elements = healthy
    elements[0].level = 0.05
    #expect(problems(elements) == ["low Speaker"])
    elements[1] = volume("Headphone", .playback, 0.8, isOn: true)
    #expect(problems(elements).isEmpty, "headphones are in use")
  }

  /// A codec's raw steps begin at -121 dB: its middle is inaudible.
  @Test func theMiddleOfACodecsRangeIsLow() {
    var elements = healthy
    elements[0].level = 0.4
    elements[0].decibels = .init(value: -70, least: -121, most: 6)
    #expect(problems(elements) == ["low Speaker"])
    let plan = MixerJudgement(elements).plan(playback: 0.75, capture: 0.7)
    let speaker = plan.first { $0.name == "Speaker" }
    #expect(abs((speaker?.level ?? 0) - 119.5 / 127) < 0.01)
  }

  @Test func boostsGainControlsAndSidetonesAreNamed() {
    var elements = healthy
    elements[4] = volume("Mic Boost", .capture, 1, decibels: 30)
    elements.append(MixerElement(name: "Auto Gain Control", direction: .capture, isOn: true))
    elements.append(volume("Mic", .playback, 0.5, isOn: true))
    #expect(
      problems(elements) == ["boosted Mic Boost", "sidetone Mic", "automatic Auto Gain Control"])
    let plan = MixerJudgement(elements).plan(playback: 0.75, capture: 0.7)
    #expect(
      Set(plan.map(\.text)) == [
        "Headphone on, 75 %", "Mic Boost to 33 %", "Auto Gain Control off", "Mic off",
      ])
  }

  @Test func thePlanHealsAndThenHasNothingToDo() {
    var elements = healthy
    elements[0].isOn = false
    elements[0].level = 0
    elements[3].isOn = false
    for change in MixerJudgement(elements).plan(playback: 0.75, capture: 0.7) {
      guard
        let place = elements.firstIndex(where: {
          $0.name == change.name && $0.direction == change.direction
        })
      else { continue }
      elements[place].isOn = change.isOn ?? elements[place].isOn
      elements[place].level = change.level ?? elements[place].level
    }
    #expect(problems(elements).isEmpty)
    #expect(MixerJudgement(elements).plan(playback: 0.75, capture: 0.7).isEmpty)
  }
}
