import Testing

@testable import VoiceEngine

@Suite struct SoundSystemTests {
  @Test func cardsAreListedWithTheirHardware() throws {
    let folder = try SoundFolder()
    try folder.plug(index: 0, id: "vc4hdmi", pcms: ["D0p"])
    try folder.plug(
      index: 2, id: "Device", usb: .speakerphone(serial: "A1"), pcms: ["D0c", "D0p", "D1p"])
    let cards = folder.system.cards()
    #expect(cards.map(\.index) == [0, 2])
    #expect(cards.map(\.id) == ["vc4hdmi", "Device"])
    #expect(cards[0].identity.stableID == "card:vc4hdmi")
    #expect(cards[0].devices.map(\.captures) == [false])
    #expect(cards[1].identity.stableID == "usb:046d:0a44:A1")
    #expect(cards[1].name == "Speakerphone of 1-2")
    #expect(cards[1].devices.map(\.pcm) == ["hw:CARD=Device,DEV=0", "hw:CARD=Device,DEV=1"])
    #expect(cards[1].devices.map { [$0.captures, $0.plays] } == [[true, true], [false, true]])
    try folder.unplug(index: 2)
    #expect(folder.system.cards().map(\.id) == ["vc4hdmi"])
  }

  @Test func aMachineWithoutSoundHasNoCards() throws {
    #expect(SoundSystem(sys: "/nonexistent", nodes: "/nonexistent").cards().isEmpty)
  }

  @Test(arguments: [
    ("hw:CARD=Device,DEV=1 S16_LE 48000 Hz", "hw:CARD=Device,DEV=1"),
    ("plughw:Device,2", "plughw:CARD=Device,DEV=2"), ("hw:1", "hw:CARD=1,DEV=0"),
    ("hw:DEV=3,CARD=X", "hw:CARD=X,DEV=3"),
  ])
  func namesOfCardsAreTakenApart(description: String, name: String) {
    #expect(CardPCM(description)?.name == name)
  }

  @Test(arguments: ["simroom", "pipewire FLOAT", "default", "", "dsnoop:Device"])
  func otherNamesAreLeftAlone(name: String) {
    #expect(CardPCM(name) == nil)
  }
}
