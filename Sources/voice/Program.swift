import Glibc

/// One command of the program.
protocol Command {
  static var name: String { get }
  /// One line for the list of commands.
  static var summary: String { get }
  static var options: [Arguments.Option] { get }
  /// Words after the options, as the help shows them; empty for none.
  static var words: String { get }

  /// Does the work.
  ///
  /// - Returns: the process's exit code.
  /// - Throws: ``UsageError`` or ``FileFault``, whose sentences are printed.
  @MainActor
  static func run(_ raw: [String]) async throws -> Int32
}

extension Command {
  static var words: String { "" }

  /// The help of this command.
  static var help: String {
    let list = options.map { option in
      let left = option.name + (option.value.map { " \($0)" } ?? "")
      return "  " + left.padding(to: 28) + option.help
    }
    let usage = ["voice", name, words, "[options]"].filter { !$0.isEmpty }.joined(separator: " ")
    return (["usage: \(usage)", "", summary, ""] + list).joined(separator: "\n")
  }
}

/// The program: finds the command and turns its outcome into an exit code.
enum Program {
  static var commands: [any Command.Type] {
    [
      RunCommand.self, RouterCommand.self, TalkCommand.self, DevicesCommand.self,
      DoctorCommand.self, MuteCommand.self, ModelsCommand.self, TokenCommand.self,
      PairCommand.self, SessionsCommand.self, MeasureCommand.self,
    ]
  }

  /// Exit code for a command line that could not be understood (sysexits.h).
  static let usageExitCode: Int32 = 64

  /// - Parameter arguments: without the program's own name.
  @MainActor
  static func main(_ arguments: [String]) async -> Int32 {
    guard let first = arguments.first, !["--help", "-h", "help"].contains(first) else {
      StandardOutput.line(help)
      return arguments.isEmpty ? usageExitCode : 0
    }
    guard let command = commands.first(where: { $0.name == first }) else {
      complain("voice: unknown command \"\(first)\". `voice --help` lists the commands.")
      return usageExitCode
    }
    let rest = Array(arguments.dropFirst())
    guard !rest.contains("--help"), !rest.contains("-h") else {
      StandardOutput.line(command.help)
      return 0
    }
    do {
      return try await command.run(rest)
    } catch let error as UsageError {
      complain(error.sentence)
      return usageExitCode
    } catch let error as FileFault {
      complain("voice \(first): \(error.sentence)")
      return 1
    } catch {
      complain("voice \(first): \(error)")
      return 1
    }
  }

  /// Prints a sentence on standard error.
  static func complain(_ sentence: String) {
    let line = Array((sentence + "\n").utf8)
    // A closed standard error leaves nobody to tell.
    _ = write(STDERR_FILENO, line, line.count)
  }

  private static var help: String {
    let list = commands.map { "  " + $0.name.padding(to: 10) + $0.summary }
    return
      (["usage: voice COMMAND [options]", ""] + list + [
        "", "`voice COMMAND --help` shows a command's options.",
      ]).joined(separator: "\n")
  }
}
