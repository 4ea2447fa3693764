import CVoiceDSP
import Foundation
import Testing

@testable import VoiceEngine

@Suite struct MuteSwitchTests {
  private func place() -> String {
    FileManager.default.temporaryDirectory.appending(path: "mute-\(UUID().uuidString)/muted").path
  }

  @Test func aMuteIsKeptUntilItIsUndone() throws {
    let path = place()
    #expect(!MuteSwitch(path: path).isOn)
    try MuteSwitch(path: path).set(true)
    #expect(MuteSwitch(path: path).isOn)
    try MuteSwitch(path: path).set(true)
    try MuteSwitch(path: path).set(false)
    #expect(!MuteSwitch(path: path).isOn)
    try MuteSwitch(path: path).set(false)
  }

  @Test func aFolderThatCannotBeMadeIsNamed() throws {
    let error = #expect(throws: AudioError.self) {
      try MuteSwitch(path: "/proc/nobody/muted").set(true)
    }
    #expect(error?.message.contains("/proc/nobody/muted") == true)
  }

  /// What cannot be found out counts as muted: here a path too long for the system.
  @Test func anUnreadableSwitchIsOn() {
    #expect(MuteSwitch(path: "/tmp/" + String(repeating: "x", count: 5_000)).isOn)
  }
}
