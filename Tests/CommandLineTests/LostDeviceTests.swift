import AgentRouter
import Foundation
import Networking
import SimulatedRoomControl
import Testing
import VisionAgentsCore
import VoiceEngine
import VoiceProgram

@testable import voice

/// Everything live in one process: router, loop, call, audio thread, ALSA and a card that is pulled
/// out of it. In a process of its own: ALSA's configuration belongs to the whole of it.
struct LostDeviceTests {
  @Test func aCardThatIsPulledOutIsBackWithinASecondOfItsReturn() async {
    let ending = await #expect(
      processExitsWith: .success, observing: [\.standardOutputContent]
    ) {
      try await LostDevice.run()
    }
    let said = String(decoding: ending?.standardOutputContent ?? [], as: UTF8.self)
    for line in said.split(separator: "\n") where line.contains(": back") { print(line) }
  }
}

@MainActor
private enum LostDevice {
  struct TooLate: Error {}

  /// Looks every few milliseconds, for half a minute at most.
  static func wait(until condition: () -> Bool) async throws {
    for _ in 0..<6_000 {
      if condition() { return }
      try await Task.sleep(for: .milliseconds(5))
    }
    throw TooLate()
  }

  static func run() async throws {
    let machine = try SoundMachine()
    defer { machine.place.remove() }
    for (name, value) in machine.environment { setenv(name, value, 1) }
    setenv("VOICE_CACHE", machine.place.file("cache").path, 1)
    try machine.plug("Phone")
    let (key, secret) = try machine.place.writeConfiguration()
    let arguments = try Arguments(
      ["--sound-path-only", "--config", machine.place.file("router.yaml").path],
      options: RouterCommand.options, command: "router")
    let server = try await RouterServer.start(try RouterSettings(arguments), places: Places())
    let url = try #require(URL(string: "\(server.url)"))
    let agents = VisionAgents(
      apiKey: key, url: url,
      environment: .live(device: try Places().device(arguments), system: .here))
    agents.setUser(User(id: "owner"), token: DeviceToken.mint(user: "owner", secret: secret))
    let voice = try await VoiceSession.start(agents: agents)
    await voice.session.start()
    await voice.join()
    #expect(voice.failure == nil)
    let room = try SimulatedRoomLibrary().room(named: "Phone")
    for round in 1...3 {
      let before = await voice.deviceFrame() ?? 0
      try room.inject(.unplug)
      try machine.unplug(index: round - 1)
      try await wait { voice.call?.state.device != .present }
      try await Task.sleep(for: .milliseconds(400))
      try room.inject(.replug)
      try machine.plug("Phone", index: round)
      let clock = ContinuousClock()
      let start = clock.now
      try await wait { voice.call?.state.device == .present }
      print("round \(round): back \((clock.now - start) / .milliseconds(1)) ms after its return")
      #expect(voice.failure == nil)
      // Sound flows again, on the same clock.
      var frame = before
      for _ in 0..<400 where frame <= before + 4_800 {
        try await Task.sleep(for: .milliseconds(5))
        frame = await voice.deviceFrame() ?? 0
      }
      #expect(frame > before)
    }
    // The speaker alone, and nothing tells of its return: the microphone is heard all the time.
    try room.inject(.unplug, .playback)
    try await wait { voice.call?.state.device != .present }
    let gone = await voice.deviceFrame() ?? 0
    var frame = gone
    for _ in 0..<400 where frame <= gone + 24_000 {
      try await Task.sleep(for: .milliseconds(5))
      frame = await voice.deviceFrame() ?? 0
    }
    #expect(frame > gone + 24_000)
    #expect(voice.call?.state.device != .present)
    try room.inject(.replug, .playback)
    let clock = ContinuousClock()
    let start = clock.now
    try await wait { voice.call?.state.device == .present }
    print("the speaker: back \((clock.now - start) / .milliseconds(1)) ms after its return")
    #expect(voice.failure == nil)
    await voice.leave()
    await server.stop()
  }
}
