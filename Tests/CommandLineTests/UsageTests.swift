import Testing
import VoiceProgram

/// What a person reads who mistypes a command.
struct UsageTests {
  private func run(_ arguments: [String]) async throws -> VoiceProcess.Ending {
    try await VoiceProcess.start(arguments, limit: .seconds(30)).ending()
  }

  @Test(arguments: [
    (["frobnicate"], "unknown command \"frobnicate\""),
    (["run", "--rom"], "unknown option --rom"),
    (["router", "--listen", "nonsense"], "--listen wants HOST:PORT, but got \"nonsense\""),
    (["run", "--questions", "many"], "--questions wants a whole number"),
    (["run", "--echo-db", "99"], "--echo-db wants a whole number from 0 to 60"),
    (["token"], "--user ID is needed"),
    (["talk"], "--url is needed"),
    (["talk", "--url", "nowhere"], "--url wants http://HOST:PORT, but got \"nowhere\""),
    (["models", "remove"], "unknown word \"remove\""),
    (["models", "import"], "name the folder"),
    (["devices", "all"], "did not expect \"all\""),
  ])
  func aMistakeIsNamedOnStandardError(arguments: [String], sentence: String) async throws {
    let ending = try await run(arguments)
    #expect(ending.exitCode == 64)
    #expect(ending.errors.contains(sentence), "\(ending.errors)")
    #expect(ending.errors.split(separator: "\n").count == 1, "\(ending.errors)")
  }

  @Test func noCommandShowsTheCommands() async throws {
    let ending = try await run([])
    #expect(ending.exitCode == 64)
    #expect(ending.output.first == "usage: voice COMMAND [options]")
  }

  @Test(arguments: ["run", "router", "talk", "devices", "doctor", "mute", "models", "token"])
  func everyCommandHasHelp(command: String) async throws {
    let list = try await run(["--help"])
    let help = try await run([command, "--help"])
    #expect(list.exitCode == 0)
    #expect(list.output.contains { $0.hasPrefix("  \(command) ") })
    #expect(help.exitCode == 0)
    #expect(help.output.first?.hasPrefix("usage: voice \(command)") == true)
    #expect(help.output.allSatisfy { $0.count <= 100 }, "\(help.output)")
  }
}
