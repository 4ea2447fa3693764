import Foundation
import Synchronization
import Testing
import VoiceProgram

@testable import voice

/// What the service manager hears, at a socket that stands for it.
@Suite(.serialized) struct ServiceTests {
  @Test(arguments: [false, true])
  func theManagerIsToldByDatagram(isAbstract: Bool) throws {
    let manager = try ManagerSocket(isAbstract: isAbstract)
    let notifier = ServiceNotifier(
      environment: ["NOTIFY_SOCKET": manager.name, "WATCHDOG_USEC": "3000000"])
    #expect(notifier.watchdogInterval == .seconds(3))
    notifier.ready("Here.")
    notifier.alive()
    notifier.stopping()
    #expect(manager.messages() == ["READY=1\nSTATUS=Here.", "WATCHDOG=1", "STOPPING=1"])
  }

  @Test func withoutAManagerNothingIsSent() {
    let notifier = ServiceNotifier(environment: [:])
    #expect(!notifier.isWanted)
    #expect(notifier.watchdogInterval == nil)
    notifier.ready("Nobody listens.")
    let other = ServiceNotifier(
      environment: ["NOTIFY_SOCKET": "/nonexistent", "WATCHDOG_USEC": "1", "WATCHDOG_PID": "1"])
    #expect(other.watchdogInterval == nil)
    other.alive()
  }

  /// A conversation on a simulated card, with a fixed line instead of models.
  private func run(_ machine: SoundMachine, _ manager: ManagerSocket) async throws -> VoiceProcess {
    var environment = machine.environment
    environment["NOTIFY_SOCKET"] = manager.name
    environment["WATCHDOG_USEC"] = "900000"
    // No models: what is asked for is the sound path.
    environment["VOICE_CACHE"] = machine.place.file("cache").path
    return try await VoiceProcess.start(
      ["run", "--service"], environment: environment, limit: .seconds(60))
  }

  @Test func theWatchdogIsFedWhileSoundFlows() async throws {
    let machine = try SoundMachine()
    defer { machine.place.remove() }
    try machine.plug("Phone")
    let manager = try ManagerSocket(isAbstract: false)
    let process = try await run(machine, manager)
    var heard = manager.waitFor { $0.filter { $0 == "WATCHDOG=1" }.count >= 4 }
    #expect(heard.first?.hasPrefix("READY=1") == true, "\(heard)")
    process.signal(SIGTERM)
    _ = await process.ending()
    heard += manager.messages()
    #expect(heard.last == "STOPPING=1", "\(heard)")
  }

  /// The control: a card whose clock stands still is open, and yet there is no life in it.
  @Test func aDeafProgramDoesNotFeedIt() async throws {
    let machine = try SoundMachine(isStill: true)
    defer { machine.place.remove() }
    try machine.plug("Phone")
    let manager = try ManagerSocket(isAbstract: false)
    let process = try await run(machine, manager)
    let heard = manager.waitFor { $0.contains { $0.hasPrefix("READY=1") } }
    #expect(heard.contains { $0.hasPrefix("READY=1") }, "\(heard)")
    // As long as the other test waits for its fourth sign of life, and more.
    for _ in 0..<30 { usleep(100_000) }
    #expect(!manager.messages().contains("WATCHDOG=1"))
    process.signal(SIGTERM)
    _ = await process.ending()
  }

  /// `voice mute` reaches a program that runs.
  @Test func theMicrophoneOfARunningProgramIsMuted() async throws {
    let machine = try SoundMachine()
    defer { machine.place.remove() }
    try machine.plug("Phone")
    let manager = try ManagerSocket(isAbstract: false)
    let process = try await run(machine, manager)
    let heard = manager.waitFor { $0.contains { $0.hasPrefix("READY=1") } }
    #expect(heard.contains { $0.hasPrefix("READY=1") })
    #expect(try await machine.run(["mute", "on"]).exitCode == 0)
    #expect(await process.line { $0.contains("microphone is muted") } != nil)
    #expect(try await machine.run(["mute", "off"]).exitCode == 0)
    #expect(await process.line { $0.contains("open again") } != nil)
    process.signal(SIGTERM)
    _ = await process.ending()
    // What the program did itself left the switch as it was.
    #expect(try await machine.run(["mute"]).output == ["The microphone is open."])
  }

  /// It says what it waits for, shows no life meanwhile, and goes on when the card is there.
  @Test func aServiceWithoutACardWaitsForOne() async throws {
    let machine = try SoundMachine()
    defer { machine.place.remove() }
    let manager = try ManagerSocket(isAbstract: false)
    let process = try await run(machine, manager)
    #expect(await process.line { $0.contains("It is waited for.") } != nil)
    #expect(!manager.messages().contains("WATCHDOG=1"))
    try machine.plug("Phone")
    let heard = manager.waitFor { $0.filter { $0 == "WATCHDOG=1" }.count >= 2 }
    #expect(heard.filter { $0 == "WATCHDOG=1" }.count >= 2, "\(heard)")
    process.signal(SIGTERM)
    _ = await process.ending()
  }
}

/// The service manager's end.
private final class ManagerSocket {
  let name: String
  private let descriptor: Int32

  struct NoSocket: Error {}

  init(isAbstract: Bool) throws {
    let path = "/tmp/voice-notify-\(UUID().uuidString.prefix(8))"
    name = isAbstract ? "@\(path)" : path
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(name.utf8)
    if isAbstract { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(2 + bytes.count + (isAbstract ? 0 : 1))
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    guard result == 0 else { throw NoSocket() }
  }

  deinit {
    close(descriptor)
    unlink(name)
  }

  /// What waits, oldest first.
  func messages() -> [String] {
    var messages: [String] = []
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = recv(descriptor, &bytes, bytes.count, 0)
      guard count > 0 else { return messages }
      messages.append(String(decoding: bytes.prefix(count), as: UTF8.self))
    }
  }

  /// Everything up to when `isDone` holds; half a minute at most.
  func waitFor(_ isDone: ([String]) -> Bool) -> [String] {
    var all: [String] = []
    for _ in 0..<600 {
      all += messages()
      if isDone(all) { break }
      usleep(50_000)
    }
    return all
  }
}
