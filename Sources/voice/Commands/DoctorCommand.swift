import Foundation
import SessionsModel
import VisionAgentsCore
import VoiceEngine

/// `voice doctor`: whether this machine's sound is fit for a conversation.
enum DoctorCommand: Command {
  static let name = "doctor"
  static let summary = "Open the device, listen, and say what is wrong and what to do."
  static let options =
    Arguments.Option.device + [
      Arguments.Option("--aloud", "play a soft sound: its echo tells the latency the device hides"),
      Arguments.Option("--json", "for programs: one JSON object a check"),
      Arguments.Option("--seconds", value: "N", "how long to listen, 1 to 600 (3)"),
    ]

  /// Exit codes: 0 nothing is at fault (there may be warnings), 1 something is.
  static func run(_ raw: [String]) async throws -> Int32 {
    let arguments = try Arguments(raw, options: options, command: name)
    let seconds = try arguments.integer("--seconds", in: 1...600) ?? 3
    let device = try Places().device(arguments)
    let isAloud = arguments.has("--aloud")
    let interruption = Interruption()
    let facts = await DeviceThread.run {
      SoundCheck.run(device, in: .here, for: .seconds(seconds), isAloud: isAloud) {
        interruption.isAsked
      }
    }
    let diagnosis = SoundDiagnosis(facts, user: NSUserName())
    for finding in diagnosis.findings {
      if arguments.has("--json") {
        StandardOutput.line(json(finding).serializedText)
      } else {
        StandardOutput.line(line(finding))
      }
    }
    return diagnosis.isSound ? 0 : 1
  }

  private static func line(_ finding: SoundFinding) -> String {
    let verdict =
      switch finding.verdict {
      case .ok: "ok"
      case .warning: "warning"
      case .fault: "FAULT"
      case .unmeasured: "-"
      }
    let name = finding.check.rawValue.replacing("_", with: " ")
    let remedy = finding.remedy.isEmpty ? "" : "  -> \(finding.remedy)"
    return "\(verdict.padding(to: 8)) \(name.padding(to: 16)) \(finding.reason)\(remedy)"
  }

  private static func json(_ finding: SoundFinding) -> JSONValue {
    [
      "check": .string(finding.check.rawValue), "verdict": .string(finding.verdict.rawValue),
      "reason": .string(finding.reason), "remedy": .string(finding.remedy),
    ]
  }
}
