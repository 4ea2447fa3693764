import Foundation
import SessionsModel
import VisionAgentsCore
import VoiceEngine

/// `voice measure`: how long any voice device takes to answer, by the sound in the air alone.
enum MeasureCommand: Command {
  static let name = "measure"
  static let summary =
    "Ask a device aloud and measure, from a recording, how long it takes to answer."
  static let options = [
    Arguments.Option("--play", value: "FILE", "the question, a WAV file"),
    Arguments.Option("--out", value: "PCM", "speaker beside the device's microphone (auto)"),
    Arguments.Option("--in", value: "PCM", "microphone that hears both, on the same card (auto)"),
    Arguments.Option("--seconds", value: "N", "how long an answer is waited for, 1 to 120 (8)"),
    Arguments.Option("--times", value: "N", "how often the question is asked, 1 to 100 (1)"),
    Arguments.Option(
      "--recording", value: "FILE", "measure in this recording (left: the air) instead"),
    Arguments.Option("--save", value: "FILE", "keep what was heard (left: the microphone)"),
    Arguments.Option("--json", "for programs: one JSON object a line"),
  ]

  /// Exit codes: 0 every question got an answer, 1 one did not.
  static func run(_ raw: [String]) async throws -> Int32 {
    let arguments = try Arguments(raw, options: options, command: name)
    guard let file = arguments["--play"] else {
      throw UsageError("voice measure: --play FILE is needed: the question as a WAV file.")
    }
    let question = try recording(URL(filePath: file))
    let times = try arguments.integer("--times", in: 1...100) ?? 1
    let seconds = try arguments.integer("--seconds", in: 1...120) ?? 8
    var turns: [AcousticTurn] = []
    if let path = arguments["--recording"] {
      try report(question, recording(URL(filePath: path), channel: 0), 0, arguments, &turns)
      return turns.isEmpty ? 1 : 0
    }
    let interruption = Interruption()
    let folder = FileManager.default.temporaryDirectory.appending(path: "voice-measure-\(getpid())")
    defer { try? FileManager.default.removeItem(at: folder) }  // Of no use to anybody any more.
    for number in 1...times where !interruption.isAsked {
      let heard =
        arguments["--save"].map { URL(filePath: times == 1 ? $0 : numbered($0, number)) }
        ?? folder.appending(path: "\(number).wav")
      let player = try QuestionPlayer(
        device: device(arguments, recordingTo: heard), question: question)
      let outcome = await DeviceThread.run { () -> Result<Void, FileFault> in
        do throws(FileFault) {
          return .success(
            try player.play(listeningFor: seconds) { interruption.isAsked })
        } catch {
          return .failure(error)
        }
      }
      try outcome.get()
      let left = try recording(heard, channel: 0)
      try report(question, left, QuestionPlayer.lead / 2, arguments, &turns)
    }
    if times > 1, !turns.isEmpty { summarize(turns.map(\.milliseconds), of: times, arguments) }
    return turns.count == times ? 0 : 1
  }

  private static func device(_ arguments: Arguments, recordingTo file: URL) throws(FileFault)
    -> VoiceDeviceConfiguration
  {
    var device = VoiceDeviceConfiguration()
    device.capture = arguments["--in"] ?? "auto"
    device.playback = arguments["--out"] ?? "auto"
    device.cancelsEcho = false
    device.recording = file.path
    // Whoever made sure that nobody listens means this program, too.
    device.muteSwitch = Places().muteSwitch
    if device.muteSwitch?.isOn == true {
      throw FileFault("the microphone is muted; `voice mute off` lets it listen again.")
    }
    guard !FileManager.default.fileExists(atPath: file.path) else {
      throw FileFault("\(file.path) is there already; name another file.")
    }
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    } catch {
      throw FileFault("\(file.path) cannot be written: \(error.localizedDescription)")
    }
    return device
  }

  /// A recording at 48 kHz.
  private static func recording(_ file: URL, channel: Int? = nil) throws(FileFault) -> [Int16] {
    let wave = try WAVFile(contentsOf: file, channel: channel)
    guard wave.rate == AcousticTurn.rate else {
      guard AcousticTurn.rate % wave.rate == 0 else {
        throw FileFault(
          "\(file.path) is at \(wave.rate) Hz; 48000, 24000, 16000 and 8000 are read. "
            + "Convert it: sox INPUT -r 48000 OUTPUT.wav")
      }
      return stretched(wave.samples, by: AcousticTurn.rate / wave.rate)
    }
    return wave.samples
  }

  /// Straight lines between the samples: enough for a loudspeaker and for finding it again.
  private static func stretched(_ samples: [Int16], by factor: Int) -> [Int16] {
    samples.indices.flatMap { index -> [Int16] in
      let (from, to) = (Int(samples[index]), Int(samples[min(index + 1, samples.count - 1)]))
      return (0..<factor).map { Int16(from + (to - from) * $0 / factor) }
    }
  }

  private static func numbered(_ path: String, _ number: Int) -> String {
    let file = URL(filePath: path)
    let name = "\(file.deletingPathExtension().lastPathComponent)-\(number)"
    return file.deletingLastPathComponent().appending(path: name)
      .appendingPathExtension(file.pathExtension).path
  }

  private static func report(
    _ question: [Int16], _ heard: [Int16], _ earliest: Int, _ arguments: Arguments,
    _ turns: inout [AcousticTurn]
  ) throws {
    do throws(AcousticTurn.Unmeasured) {
      let turn = try AcousticTurn(question: question, recording: heard, earliest: earliest)
      turns.append(turn)
      StandardOutput.line(arguments.has("--json") ? json(turn) : line(turn))
    } catch {
      Program.complain("voice measure: \(sentence(error))")
    }
  }

  private static func sentence(_ reason: AcousticTurn.Unmeasured) -> String {
    switch reason {
    case .questionNotHeard(let likeness):
      "the microphone did not hear the question (likeness \(rounded(likeness)) of at least "
        + "\(AcousticTurn.leastLikeness)). Turn the speaker up, or put the microphone nearer to it."
    case .noAnswer:
      "nothing was said after the question. Is the device listening, and is its answer loud enough "
        + "at this microphone? --seconds N waits longer, --save FILE keeps what was heard."
    }
  }

  private static func line(_ turn: AcousticTurn) -> String {
    "voice-to-voice \(rounded(turn.milliseconds)) ms  (the question ended at "
      + "\(seconds(turn.lastVoiced)) s of the recording, the answer began at "
      + "\(seconds(turn.answerStart)) s)"
  }

  private static func json(_ turn: AcousticTurn) -> String {
    let object: JSONValue = [
      "event": "measured", "v2v_ms": .double(turn.milliseconds),
      "last_voiced_s": .double(Double(turn.lastVoiced) / Double(AcousticTurn.rate)),
      "answer_s": .double(Double(turn.answerStart) / Double(AcousticTurn.rate)),
      "likeness": .double(turn.likeness),
    ]
    return object.serializedText
  }

  private static func summarize(_ figures: [Double], of times: Int, _ arguments: Arguments) {
    let sorted = figures.sorted()
    let (median, worst) = (sorted[sorted.count / 2], sorted[sorted.count - 1])
    if arguments.has("--json") {
      let object: JSONValue = [
        "event": "summary", "asked": .int(times), "answered": .int(sorted.count),
        "median_ms": .double(median), "worst_ms": .double(worst),
      ]
      StandardOutput.line(object.serializedText)
    } else {
      StandardOutput.line(
        "median \(rounded(median)) ms, worst \(rounded(worst)) ms, \(sorted.count) of \(times) "
          + "answered")
    }
  }

  private static func rounded(_ value: Double) -> String {
    value < 10 ? String((value * 100).rounded() / 100) : String(Int(value.rounded()))
  }

  private static func seconds(_ samples: Int) -> String {
    String((Double(samples) / Double(AcousticTurn.rate) * 1000).rounded() / 1000)
  }
}
