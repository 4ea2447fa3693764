import Foundation
import Glibc
import SessionsModel
import SimulatedRoomControl
import Testing
import VisionAgentsCore
import VoiceProgram

/// A router that dies loses nothing it acknowledged, and its devices say what happened.
@Suite(.serialized)
struct KilledRouterTests {
  @Test func acknowledgedTurnsAreThereAfterTheRestart() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    let keys = try place.writeConfiguration()
    var router = try await RunningRouter(in: place)
    let port = router.port
    let session = try await router.backend(keys).sessions.create()
    await session.start()
    let first = try await answer(to: "What is the capital of France?", in: session)
    #expect(!first.said.isEmpty)
    // Acknowledged and running when the power goes.
    let second = try await session.responses.create("How many days are in a week?")
    router.process.signal(SIGKILL)
    #expect(await router.process.ending().exitCode == -SIGKILL)

    router = try await RunningRouter(in: place, port: port)
    let resumed = try await router.backend(keys).sessions.resume(session.id)
    await resumed.start()
    let kept = try await resumed.responses.list().items
    #expect(kept.map(\.id) == [first.id, second.id])
    #expect(kept.first?.said == first.said)
    #expect(kept.last?.status != .running, "a turn of the dead router still seems to run")
    _ = try await answer(to: "What is the opposite of hot?", in: resumed)
    #expect(try await resumed.responses.list().items.count == 3)
    await router.stop()
  }

  @Test func aRunWhoseRouterDiesEndsWithASentence() async throws {
    try VoiceProgram.requireModels()
    let place = try TemporaryPlace()
    defer { place.remove() }
    let run = try await RealTime.shared.alone {
      let process = try await VoiceProcess.start(
        ["run", "--room", "--json", "--questions", "2", "--out", place.file("room.wav").path],
        environment: ["VOICE_DATA": place.folder.path], limit: .seconds(120))
      _ = await process.line { $0.contains("\"state\":\"thinking\"") }
      let victim = ProcessTree.descendant(of: process.processID, named: "router")
      #expect(victim != nil)
      if let victim { kill(victim, SIGKILL) }
      return SpokenRun(await process.ending())
    }
    #expect(run.exitCode == 1)
    let told = "\(run.problems) \(run.verdict) \(run.errors)"
    #expect(told.contains("router"), "\(told)")
  }

  @Test func aDeviceComesBackToARestartedRouter() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    let keys = try place.writeConfiguration(agent: ["greeting: Hello."])
    var router = try await RunningRouter(in: place)
    let device = try await device(of: router, keys: keys, in: place)
    _ = await device.line { $0.contains("\"state\":\"idle\"") }
    let joined = device.lines.count
    router.process.signal(SIGKILL)
    #expect(await device.line(after: joined) { $0.contains("connecting") } != nil)
    // Nothing but its return can make it idle again.
    let lost = device.lines.count
    _ = await router.process.ending()
    router = try await RunningRouter(in: place, port: router.port)
    #expect(await device.line(after: lost) { $0.contains("\"state\":\"idle\"") } != nil)
    device.signal(SIGTERM)
    let ending = await device.ending()
    #expect(ending.wasTooLate == false)
    await router.stop()
  }

  /// `voice talk` in a simulated room.
  private func device(
    of router: RunningRouter, keys: (key: String, secret: String), in place: TemporaryPlace
  ) async throws -> VoiceProcess {
    let library = try VoiceProgram.url().deletingLastPathComponent()
      .appending(path: "libSimulatedRoom.so")
    let configuration = try place.write(
      "asound.conf", SimulatedRoomConfiguration(libraryPath: library.path).text)
    let now = Int(Date().timeIntervalSince1970)
    let token = Token.mint(
      TokenClaims(userID: "u", issuedAt: now - 5, expiresAt: now + 600), secret: keys.secret)
    return try await VoiceProcess.start(
      [
        "talk", "--url", router.url.absoluteString, "--key", keys.key, "--token-env",
        "VOICE_TEST_TOKEN", "--user", "u", "--capture", "simroom", "--playback", "simroom",
        "--json",
      ],
      environment: [
        "VOICE_DATA": place.folder.path, "VOICE_TEST_TOKEN": token,
        "ALSA_CONFIG_PATH": configuration.path,
      ], limit: .seconds(90))
  }

  /// Asks, and returns the turn once the session's events say that it is answered.
  private func answer(to question: String, in session: AgentSession) async throws -> Response {
    let events = session.events()
    let asked = try await session.responses.create(question)
    for await event in events where event.kind == .responded && event.turnID == asked.id {
      break
    }
    let turns = try await session.responses.list().items
    return try #require(turns.first { $0.id == asked.id })
  }
}
