import Foundation
import Glibc
import Networking
import VisionAgentsCore
import VoiceEngine

/// `voice talk`: this device on a router that runs elsewhere.
enum TalkCommand: Command {
  static let name = "talk"
  static let summary = "Join an agent of a router from this device."
  static let options =
    Arguments.Option.device + Arguments.Option.wakeWord + [
      Arguments.Option("--url", value: "URL", "the router; without it the one paired with"),
      Arguments.Option("--key", value: "KEY", "its API key"),
      Arguments.Option("--token-env", value: "VAR", "environment variable with the user's token"),
      Arguments.Option("--user", value: "ID", "whose token it is"),
      Arguments.Option(
        "--fingerprint", value: "SHA256", "the router's certificate, instead of an authority's"),
      Arguments.Option("--agent", value: "NAME", "which agent"),
      Arguments.Option(
        "--session", value: "ID", "a session whose voice is on, instead of a new one"),
      Arguments.Option("--json", "JSON lines although this is a terminal"),
    ]

  static func run(_ raw: [String]) async throws -> Int32 {
    let arguments = try Arguments(raw, options: options, command: name)
    let runtime = LoopRuntime()
    let agents = try makeAgents(arguments, runtime: runtime)
    let isTerminal = isatty(STDOUT_FILENO) == 1 && !arguments.has("--json")
    let presenter: any Presenter =
      isTerminal ? TerminalPresenter(colour: true) : JSONPresenter()
    let voice: VoiceSession
    do {
      if let session = arguments["--session"] {
        voice = try await VoiceSession.attach(agents: agents, sessionID: session)
      } else {
        voice = try await VoiceSession.start(agents: agents, agent: arguments["--agent"])
      }
    } catch AgentsError.http(let failure) where failure.status == 401 {
      throw FileFault(
        "\(failure)\nThe key stands in that router's router.yaml; `voice token --user ID` on its "
          + "machine prints a token.")
    }
    voice.wakeWord = try arguments.wakeWord()
    let conversation = Conversation(voice: voice, presenter: presenter)
    conversation.follow()
    conversation.follow(Places().muteSwitch, on: runtime)
    await voice.session.start()
    await voice.join()
    // One that is not there yet is told by the conversation, and waited for.
    if voice.call == nil, let failure = voice.failure { throw FileFault("\(failure)") }
    presenter.notice(conversation.invitation)
    let interruption = Interruption()
    _ = await conversation.wait(upTo: .seconds(86_400 * 365)) { $0.isOver || interruption.isAsked }
    await voice.leave()
    conversation.stop()
    presenter.summary(
      RunSummary(
        turns: conversation.ledger.turns, recording: nil, transcript: nil, verdict: "Goodbye.",
        exitCode: 0))
    return 0
  }

  private static func makeAgents(
    _ arguments: Arguments, runtime: LoopRuntime
  ) throws -> VisionAgents {
    let router = try TalkedTo.chosen(by: arguments)
    var device = try Places().device(arguments)
    device.waitsForDevice = true
    let agents = VisionAgents(
      apiKey: router.apiKey, url: router.url,
      environment: .live(
        device: device, runtime: runtime, system: .here, pin: router.pin,
        wakeWordProgram: Places().wakeWordProgram))
    agents.setUser(User(id: router.userID), token: router.token)
    return agents
  }
}
