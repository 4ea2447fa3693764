import Foundation
import Glibc
import Networking
import VisionAgentsCore
import VoiceEngine

/// `voice run`: a router, a device and a conversation, all on this machine.
enum RunCommand: Command {
  static let name = "run"
  static let summary = "Hold a conversation with an agent that runs wholly on this machine."
  static let options =
    Arguments.Option.device + Arguments.Option.wakeWord + [
      Arguments.Option(
        "--record", "record the conversation (with a sound card it is not, otherwise)"),
      Arguments.Option(
        "--service", "as a system service: JSON lines, never the simulated room, and --wait"),
      Arguments.Option("--wait", "wait for a device that is not plugged in yet, or busy"),
      Arguments.Option("--room", "use the simulated room although there is a sound card"),
      Arguments.Option("--wav", value: "FILE", "ask the question of a recording, in the room"),
      Arguments.Option("--out", value: "FILE", "where the recording goes"),
      Arguments.Option(
        "--trace", value: "FILE", "the turns' timings for Perfetto; FILE.csv gives a table"),
      Arguments.Option(
        "--questions", value: "N", "ask only the first N questions (0: nobody speaks)"),
      Arguments.Option("--agent", value: "NAME", "which agent of router.yaml"),
      Arguments.Option("--config", value: "FILE", "the router's configuration"),
      Arguments.Option("--model-url", value: "URL", "an OpenAI-compatible model instead of ours"),
      Arguments.Option("--model", value: "NAME", "its name there"),
      Arguments.Option("--model-key-env", value: "VAR", "environment variable with its key"),
      Arguments.Option("--json", "JSON lines although this is a terminal"),
      Arguments.Option("--echo-db", value: "N", "the room's echo return loss, 0 to 60 dB (6)"),
      Arguments.Option("--gate-off", "with a headset: it can, whatever the canceller shows"),
      Arguments.Option("--canceller-off", "control: cancel no echo"),
    ]

  static func run(_ raw: [String]) async throws -> Int32 {
    let arguments = try Arguments(raw, options: options, command: name)
    let isTerminal =
      isatty(STDOUT_FILENO) == 1 && !arguments.has("--json")
      && !arguments.has("--service")
    let presenter: any Presenter =
      isTerminal
      ? TerminalPresenter(colour: ProcessInfo.processInfo.environment["NO_COLOR"] == nil)
      : JSONPresenter()
    let summary = try await Run(arguments: arguments, presenter: presenter).perform()
    presenter.summary(summary)
    return summary.exitCode
  }
}
