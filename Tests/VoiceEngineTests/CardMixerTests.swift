import Foundation
import Testing

@testable import VoiceEngine

/// The mixer of a simulated card through ALSA itself. Each in a process of its own.
@Suite(.serialized) struct CardMixerTests {
  @Test func aFreshHATIsFoundMutedAndHealed() async {
    await #expect(processExitsWith: .success) {
      let cards = try LiveCards(mixer: "hat")
      let mixer = try CardMixer(card: "wm8960")
      let before = MixerJudgement(mixer.elements())
      let named = Set(before.findings.map { "\($0.problem) \($0.element.name)" })
      #expect(
        named == [
          "muted Headphone", "muted Capture", "muted Left Output Mixer PCM",
          "muted Right Output Mixer PCM", "muted Left Input Mixer Boost",
          "muted Left Boost Mixer LINPUT1", "boosted Mic Boost",
        ])
      let plan = before.plan(playback: 0.75, capture: 0.7)
      for change in plan { try mixer.apply(change) }
      #expect(MixerJudgement(mixer.elements()).findings.isEmpty)
      let speaker = try #require(mixer.elements().first { $0.name == "Speaker" })
      // Three quarters as people hear it: 7.5 dB below the most.
      #expect(abs((speaker.decibels?.value ?? 0) - -1.5) < 1.01, "\(speaker)")
      // Another handle, as after a restart of the program, sees the same.
      #expect(MixerJudgement(try CardMixer(card: "wm8960").elements()).findings.isEmpty)
      _ = cards
    }
  }

  @Test func keptLevelsAreSetWhenTheDeviceIsOpened() async {
    await #expect(processExitsWith: .success) {
      let cards = try LiveCards(mixer: "hat")
      try cards.folder.plug(index: 0, id: "wm8960")
      let card = try #require(cards.folder.system.cards().first)
      #expect(card.name == "Simulated hat")
      let kept = KeptLevels(path: "\(cards.folder.root)/kept/levels.json")
      let mixer = try CardMixer(card: "wm8960")
      let plan = MixerJudgement(mixer.elements()).plan(playback: 0.75, capture: 0.7)
      try kept.keep(plan, of: card.identity)
      #expect(!MixerJudgement(mixer.elements()).findings.isEmpty, "keeping turns nothing")
      let engine = try cards.engine(keptLevels: kept)
      try engine.start()
      // A fresh look: a simulated card tells nobody that a knob was turned.
      let after = try CardMixer(card: "wm8960").elements()
      #expect(MixerJudgement(after).findings.isEmpty)
      #expect(engine.status.notes.allSatisfy { !$0.contains("knob") })
      engine.stop()
    }
  }

  @Test func keptLevelsAreAddedTo() throws {
    let folder = try ScratchFolder()
    let kept = KeptLevels(path: folder.file("levels.json"))
    let card = CardIdentity(cardID: "x")
    let knob = MixerElement(name: "Speaker", direction: .playback, isOn: false, level: 0)
    try kept.keep([MixerChange(knob, isOn: true)], of: card)
    try kept.keep([MixerChange(knob, level: 0.5)], of: card)
    #expect(try kept.changes(of: card) == [MixerChange(knob, isOn: true, level: 0.5)])
    #expect(try kept.changes(of: CardIdentity(cardID: "y")).isEmpty)
  }

  @Test func keptLevelsThatCannotBeReadAreNamed() throws {
    let folder = try ScratchFolder()
    let kept = KeptLevels(path: folder.file("levels.json"))
    try Data("{".utf8).write(to: URL(filePath: kept.path))
    let error = #expect(throws: AudioError.self) { try kept.changes(of: CardIdentity(cardID: "x")) }
    #expect(error?.message.contains(kept.path) == true)
  }

  @Test func aCardWithoutAMixerIsNamed() async {
    await #expect(processExitsWith: .success) {
      let error = #expect(throws: AudioError.self) { try CardMixer(card: "NoSuchCard") }
      #expect(error?.message.contains("NoSuchCard") == true)
    }
  }
}
