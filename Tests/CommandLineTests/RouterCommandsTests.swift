import Foundation
import Glibc
import SessionsModel
import Testing
import VisionAgentsCore
import VoiceProgram

/// The commands that speak to a running router, and the router that reads its file again.
@Suite(.serialized)
struct RouterCommandsTests {
  private struct Keys {
    var key: String
    var secret: String
  }

  private func run(
    _ arguments: [String], in place: TemporaryPlace
  ) async throws -> VoiceProcess.Ending {
    try await VoiceProcess.start(
      arguments, environment: ["VOICE_DATA": place.folder.path], limit: .seconds(60)
    ).ending()
  }

  /// What a command printed, which has to have ended well.
  private func output(_ arguments: [String], in place: TemporaryPlace) async throws -> [String] {
    let ending = try await run(arguments, in: place)
    #expect(ending.exitCode == 0, "\(arguments): \(ending.errors)")
    return ending.output
  }

  /// A session with one answered question.
  private func talk(_ agents: VisionAgents, title: String) async throws -> AgentSession {
    let session = try await agents.sessions.create()
    await session.start()
    try await session.update(title: title)
    let events = session.events()
    let asked = try await session.responses.create("Where is order 1042?")
    for await event in events where event.kind == .turn && event.turnID == asked.id { break }
    return session
  }

  @Test func sessionsAreListedShownSearchedExportedClosedAndDeleted() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    let keys = try place.writeConfiguration()
    let router = try await RunningRouter(in: place)
    let session = try await talk(router.backend(keys), title: "Tea 7")
    let id = session.id
    let to = ["--url", router.url.absoluteString]
    func sessions(_ arguments: String...) async throws -> String {
      try await output(["sessions"] + arguments + to, in: place).joined(separator: "\n")
    }

    let listed = try await sessions("list", "--json")
    #expect(listed.contains(id) && listed.contains("Tea 7"))
    #expect(try await sessions("list").contains("Tea 7"), "as a table")
    #expect(try await sessions("list", "--state", "ended") == "No session.")
    #expect(try await sessions("search", "tea", "7").contains("Tea 7"))
    #expect(try await sessions("search", "weather") == "No session.")
    let shown = try await sessions("show", id)
    #expect(shown.contains(id) && shown.contains("Where is order 1042?"))
    let file = place.file("talk.md")
    _ = try await sessions("export", id, "--format", "markdown", "--out", file.path)
    let markdown = try String(contentsOf: file, encoding: .utf8)
    #expect(markdown.hasPrefix("# Tea 7\n") && markdown.contains("Where is order 1042?"))
    let json = try JSONValue.parse(
      Array(try await sessions("export", id, "--format", "json").utf8))
    #expect(json["turns"]?[0]?["said"] == "Where is order 1042?")
    #expect(try await sessions("close", id).contains("has ended"))
    #expect(try await sessions("list", "--state", "ended").contains("Tea 7"))
    #expect(try await sessions("delete", id).contains("are gone"))
    let gone = try await run(["sessions", "show", id] + to, in: place)
    #expect(gone.exitCode == 1 && gone.errors.contains(id), "\(gone.errors)")
    let wrong = try await run(["sessions", "show", "a b"] + to, in: place)
    #expect(wrong.exitCode == 64 && wrong.errors.contains("\"a b\" is no id"), "\(wrong.errors)")
    await router.stop()
  }

  @Test func aTokenAndAPairingLetADeviceOfItsUserIn() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    let keys = try place.writeConfiguration()
    let router = try await RunningRouter(in: place)
    func device(_ token: String) -> VisionAgents {
      let agents = VisionAgents(apiKey: keys.key, url: router.url)
      agents.setUser(User(id: "jlahey"), token: token)
      return agents
    }

    let token = try #require(
      try await output(["token", "--user", "jlahey"], in: place).first)
    let session = try await device(token).sessions.create()
    #expect(try await device(token).sessions.get(session.id).userID == "jlahey")

    let offered = try await output(
      ["pair", "--user", "jlahey", "--json", "--url", router.url.absoluteString], in: place)
    let offer = try JSONValue.parse(Array(try #require(offered.first).utf8))
    let code = try #require(offer["code"]?.stringValue)
    let box = try TemporaryPlace()
    defer { box.remove() }
    let redeem = ["pair", "--json", "--url", router.url.absoluteString, code]
    let paired = try JSONValue.parse(
      Array(try #require(try await output(redeem, in: box).first).utf8))
    #expect(paired["user_id"] == "jlahey")
    let kept = try JSONValue.parse(Array(try Data(contentsOf: box.file("device.json"))))
    let itsToken = try #require(kept["token"]?.stringValue)
    #expect(try await device(itsToken).sessions.get(session.id).id == session.id)
    let attributes = try FileManager.default.attributesOfItem(atPath: box.file("device.json").path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    // A code is good once, and one that is none is said to be none.
    let again = try await run(redeem, in: box)
    #expect(again.exitCode == 1 && !again.errors.isEmpty, "\(again.errors)")
    let wrong = try await run(
      ["pair", "--url", router.url.absoluteString, "12"], in: box)
    #expect(wrong.exitCode == 64 && wrong.errors.contains("\"12\" is no code"), "\(wrong.errors)")
    await router.stop()
  }

  @Test func aHangUpReadsTheFileAgainAndAMistakeLeavesWhatRuns() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    let keys = try place.writeConfiguration()
    let file = place.file("router.yaml")
    let first = try String(contentsOf: file, encoding: .utf8)
    let router = try await RunningRouter(in: place)
    let backend = router.backend(keys)
    func agentIsThere(_ name: String) async throws -> Bool {
      do {
        try await backend.agent(name).sessions.create().close()
        return true
      } catch AgentsError.http(let failure) where failure.code == "agent_not_found" {
        return false
      }
    }
    /// Hangs up and waits for what the router says to that.
    func hangUp(_ says: String) async {
      let said = router.process.errorLines.count
      router.process.signal(SIGHUP)
      let line = await router.process.errorLine(after: said) { $0.contains(says) }
      #expect(line != nil, "it never said: \(says)")
    }

    #expect(try await agentIsThere("second") == false)
    try place.write("router.yaml", first + "  - name: second\n    instructions: Be plain.\n")
    await hangUp("was read again")
    #expect(try await agentIsThere("second"))

    try place.write(
      "router.yaml", first + "  - name: third\n    turn:\n      silence_ms: fast\n")
    await hangUp("\(file.path):10:19: agents[1].turn.silence_ms")
    #expect(try await agentIsThere("second"), "the running configuration stays")
    #expect(try await agentIsThere("third") == false)
    #expect(await router.stop().exitCode == 0)
  }
}
