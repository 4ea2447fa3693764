import Testing

@testable import VoiceEngine

@Suite struct DeviceChoiceTests {
  private func card(
    _ index: Int, _ id: String, usb: CardIdentity.USB? = nil, captures: Bool = true,
    plays: Bool = true, refusal: Int32 = 0
  ) -> AudioCard {
    AudioCard(
      index: index, id: id, name: id,
      devices: [
        AudioCardDevice(
          pcm: "hw:CARD=\(id),DEV=0", name: id, captures: captures, plays: plays)
      ], identity: CardIdentity(cardID: id, location: usb == nil ? "/soc/\(id)" : "", usb: usb),
      refusal: refusal)
  }

  private func opened(_ name: String, among cards: [AudioCard]) -> DeviceChoice {
    var choice = DeviceChoice(capture: "auto", playback: "auto")
    choice.opened(.init(capture: "\(name) S16_LE", playback: "\(name) S16_LE"), cards: cards)
    return choice
  }

  @Test func autoPrefersOneDeviceForBothWhateverItsIndex() throws {
    let choice = DeviceChoice(capture: "auto", playback: "auto")
    let hdmi = card(0, "vc4hdmi", captures: false)
    let phone = card(1, "Device", usb: .speakerphone())
    for cards in [[hdmi, phone], [phone, hdmi]] {
      let names = try choice.names(cards: cards, mayReplace: false)
      #expect(names == .init(capture: "hw:CARD=Device,DEV=0", playback: "hw:CARD=Device,DEV=0"))
    }
    let microphone = card(2, "Mic", plays: false)
    let apart = try choice.names(cards: [hdmi, microphone], mayReplace: false)
    #expect(apart == .init(capture: "hw:CARD=Mic,DEV=0", playback: "hw:CARD=vc4hdmi,DEV=0"))
    let forbidden = card(1, "Device", usb: .speakerphone(), refusal: -13)
    #expect(try choice.names(cards: [forbidden], mayReplace: false).capture == "auto")
  }

  @Test func theSameHardwareIsOpenedUnderTheNameItHasNow() throws {
    let phone = card(1, "Device", usb: .speakerphone(serial: "A1"))
    let choice = opened("hw:CARD=Device,DEV=0", among: [phone])
    let other = card(1, "Device", usb: .speakerphone(serial: "B2"))
    let back = card(2, "Device_1", usb: .speakerphone(serial: "A1", port: "1-4"))
    #expect(
      try choice.names(cards: [other, back], mayReplace: false).capture == "hw:CARD=Device_1,DEV=0")
    let error = #expect(throws: AudioError.self) {
      try choice.names(cards: [other], mayReplace: false)
    }
    #expect(error?.code == .noDevice)
    #expect(error?.message.contains("usb:046d:0a44:A1") == true)
  }

  @Test func afterAWhileAnotherDeviceMayTakeItsPlace() throws {
    let phone = card(1, "Device", usb: .speakerphone(serial: "A1"))
    let choice = opened("hw:CARD=Device,DEV=0", among: [phone])
    let other = card(
      1, "Other", usb: CardIdentity.USB(vendor: "0d8c", product: "0014", serial: nil, port: "1-2"))
    #expect(try choice.names(cards: [other], mayReplace: true).capture == "hw:CARD=Other,DEV=0")
  }

  @Test func withoutASerialNumberThePortTells() throws {
    let phone = card(1, "Device", usb: .speakerphone(port: "1-2"))
    let choice = opened("hw:CARD=Device,DEV=0", among: [phone])
    let twin = card(1, "Device", usb: .speakerphone(port: "1-3"))
    let back = card(2, "Device_1", usb: .speakerphone(port: "1-2"))
    #expect(
      try choice.names(cards: [twin, back], mayReplace: false).capture == "hw:CARD=Device_1,DEV=0")
    // Plugged in elsewhere, it is the only one of its model.
    #expect(try choice.names(cards: [twin], mayReplace: false).capture == "hw:CARD=Device,DEV=0")
    let third = card(3, "Device_2", usb: .speakerphone(port: "1-4"))
    #expect(throws: AudioError.self) { try choice.names(cards: [twin, third], mayReplace: false) }
  }

  @Test func whatIsNoCardIsOpenedAsConfigured() throws {
    var choice = DeviceChoice(capture: "simroom", playback: "simroom")
    choice.opened(.init(capture: "simroom S16_LE", playback: "simroom S16_LE"), cards: [])
    #expect(
      try choice.names(cards: [], mayReplace: false)
        == .init(capture: "simroom", playback: "simroom"))
  }
}
