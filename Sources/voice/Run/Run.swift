import AgentRouter
import Foundation
import Networking
import VisionAgentsCore
import VoiceEngine

/// One `voice run`, from the router's start to the summary.
@MainActor
struct Run {
  let arguments: Arguments
  let presenter: any Presenter
  private let places = Places()
  private let interruption = Interruption()
  private let notifier = ServiceNotifier(environment: ProcessInfo.processInfo.environment)

  init(arguments: Arguments, presenter: any Presenter) {
    self.arguments = arguments
    self.presenter = presenter
  }

  func perform() async throws -> RunSummary {
    let limit = try arguments.integer("--questions", in: 0...1_000)
    let stage = try Stage.choose(arguments, places: places)
    let missing = places.firstMissing(languageModel: arguments["--model-url"] == nil)
    let hasModels = missing == nil
    if let missing {
      presenter.notice(
        "\(missing.path) is missing (make setup fetches and builds what the models need). The sound "
          + "path is proved with a fixed line; this run will end with exit code 3.")
    }
    let recording = try recordingPlace(for: stage)
    let room = try makeRoom(for: stage, recording: recording)
    let runtime = LoopRuntime()
    let router = try await RouterProcess.start(
      options: try routerOptions(hasModels: hasModels), runtime: runtime,
      logFile: places.data.appending(path: "router.log"))
    let device = try makeDevice(isRoom: room != nil, recording: recording)
    let agents = try makeAgents(of: router, runtime: runtime, device: device)

    if case .room = stage {
      presenter.notice(
        "In a simulated room a recorded voice asks; nothing is played on this machine.")
    }
    var outcome = Outcome()
    do {
      for act in acts(of: stage, limit: limit, hasModels: hasModels)
      where !interruption.isAsked && !router.hasEnded {
        try await hold(
          act, agents: agents, runtime: runtime, room: room, router: router, hasModels: hasModels,
          into: &outcome)
      }
    } catch {
      await router.stop()
      throw error
    }
    if let path = arguments["--trace"] { try TurnTrace.write(outcome.turns, to: path) }
    try room?.finishRecording()
    if let trouble = await router.stop() { outcome.complaints.append(trouble) }
    let recorded = room == nil ? device.recordingParts : [recording?.path].compactMap(\.self)
    return try summary(
      of: outcome, recording: recording, recorded: recorded, isRoom: room != nil,
      hasModels: hasModels)
  }

  // MARK: The conversation

  /// One session of the run: with whom, and what is asked.
  private struct Act {
    var agent: String?
    /// Nil: the person at the device speaks.
    var questions: [FixtureQuestion]?
    var folder = URL(filePath: "/")
  }

  /// What all sessions together came to.
  private struct Outcome {
    var turns: [TurnReport] = []
    var complaints: [String] = []
    var transcript = ""
  }

  /// The plain questions first; those that want a tool have a session and an agent of their own.
  private func acts(of stage: Stage, limit: Int?, hasModels: Bool) -> [Act] {
    guard case .room(let questions, let folder) = stage else {
      return [Act(agent: arguments["--agent"])]
    }
    let plain = questions.filter { !$0.expectsTool }
    let asked = Array(plain.prefix(limit ?? plain.count))
    let first = Act(agent: arguments["--agent"], questions: asked, folder: folder)
    let withTool = questions.filter(\.expectsTool)
    guard limit == nil, arguments["--agent"] == nil, !withTool.isEmpty, hasModels else {
      return [first]
    }
    return [first, Act(agent: DemonstrationAgent.name, questions: withTool, folder: folder)]
  }

  private func hold(
    _ act: Act, agents: VisionAgents, runtime: LoopRuntime, room: RoomStage?, router: RouterProcess,
    hasModels: Bool, into outcome: inout Outcome
  ) async throws {
    let conversation = Conversation(
      voice: try await VoiceSession.start(
        agents: agents, agent: act.agent, tools: DemonstrationTools.all),
      presenter: presenter, hasModel: hasModels)
    conversation.voice.wakeWord = try arguments.wakeWord()
    conversation.follow()
    if room == nil { conversation.follow(places.muteSwitch, on: runtime) }
    await conversation.voice.session.start()
    await conversation.voice.join()
    // A device that is not there yet is told by the conversation, and waited for.
    if conversation.voice.call == nil, let failure = conversation.voice.failure {
      conversation.stop()
      await conversation.voice.end()
      throw FileFault("\(failure)")
    }
    let life = SignOfLife(notifier)
    if room == nil { life.follow(conversation.voice) }
    defer { life.stop() }
    let interruption = interruption
    if let questions = act.questions, let room {
      if questions.isEmpty {
        outcome.complaints += await EmptyRoom(conversation: conversation).listen()
      } else {
        let visit = RoomVisit(
          room: room, conversation: conversation, folder: act.folder,
          isOver: { interruption.isAsked || router.hasEnded })
        outcome.complaints += try await ask(questions, on: visit)
      }
    } else {
      presenter.notice(conversation.invitation)
      _ = await conversation.wait(upTo: .seconds(86_400 * 365)) {
        $0.isOver || interruption.isAsked || router.hasEnded
      }
    }
    await conversation.voice.leave()
    conversation.stop()
    outcome.turns += conversation.ledger.turns.filter(\.wasAsked)
    outcome.complaints += conversation.ledger.problems
    outcome.transcript += conversation.transcriptText
  }

  /// Asks everything; the result is what is to be complained about.
  private func ask(_ questions: [FixtureQuestion], on visit: RoomVisit) async throws -> [String] {
    var complaints: [String] = []
    for question in questions {
      let complaint = try await visit.ask(question).complaint
      if visit.isOver() {
        return complaints + ["The run ended before every question was answered."]
      }
      if let complaint {
        complaints.append(
          "\"\(question.text.isEmpty ? question.id : question.text)\" \(complaint).")
      }
    }
    return complaints
  }

  // MARK: What the conversation needs

  /// Where the recording goes, its folder made; nil when none is wanted.
  private func recordingPlace(for stage: Stage) throws(FileFault) -> URL? {
    var isLive = false
    if case .live = stage { isLive = true }
    let stamp = Date().formatted(.iso8601).replacingOccurrences(of: ":", with: "")
    var place = places.recordings.appending(path: "\(stamp).wav")
    if let path = arguments["--out"] {
      place = URL(filePath: path)
    } else if isLive, !arguments.has("--record") {
      return nil
    }
    if isLive, FileManager.default.fileExists(atPath: place.path) {
      throw FileFault(
        "\(place.path) is there already, and a person's recording is never overwritten. Give "
          + "another name (--out FILE).")
    }
    do {
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    } catch {
      throw FileFault(
        "the folder of the recording \(place.path) cannot be made: \(error.localizedDescription)")
    }
    return place
  }

  private func makeRoom(for stage: Stage, recording: URL?) throws -> RoomStage? {
    guard case .room = stage, let recording else { return nil }
    let echo = try arguments.integer("--echo-db", in: 0...60) ?? 6
    return try RoomStage(
      recording: recording, echoReturnLoss: Double(echo),
      workingFolder: places.data.appending(path: "room"))
  }

  private func routerOptions(hasModels: Bool) throws -> [String] {
    var options: [String] = ["--listen", "127.0.0.1:0", "--demonstration"]
    for name in ["--config", "--model-url", "--model", "--model-key-env"] {
      if let value = arguments[name] { options += [name, value] }
    }
    if !hasModels { options.append("--sound-path-only") }
    return options
  }

  private func makeDevice(
    isRoom: Bool, recording: URL?
  ) throws(UsageError) -> VoiceDeviceConfiguration {
    var device = try places.device(arguments, automatic: isRoom ? RoomStage.pcm : "auto")
    device.waitsForDevice = arguments.has("--service") || arguments.has("--wait")
    if arguments.has("--gate-off") { device.duplex = .full }
    device.cancelsEcho = !arguments.has("--canceller-off")
    // A mute is of the person's microphone, and there is none in the room.
    if isRoom { device.muteSwitch = nil }
    // The simulated room records itself: what was in the air, not what we made of it.
    device.recording = isRoom ? nil : recording?.path
    return device
  }

  private func makeAgents(
    of router: RouterProcess, runtime: LoopRuntime, device: VoiceDeviceConfiguration
  ) throws -> VisionAgents {
    let file = arguments["--config"].map { URL(filePath: $0) } ?? places.routerConfiguration
    let app = try RouterKeys.first(in: file)
    let agents = VisionAgents(
      apiKey: app.key, url: router.url,
      environment: .live(
        device: device, runtime: runtime, system: .here, pin: router.fingerprint,
        wakeWordProgram: places.wakeWordProgram))
    let secret = app.secret
    agents.setUser(User(id: "owner")) { DeviceToken.mint(user: "owner", secret: secret) }
    return agents
  }

  // MARK: The end

  private func summary(
    of outcome: Outcome, recording: URL?, recorded: [String], isRoom: Bool, hasModels: Bool
  ) throws(FileFault) -> RunSummary {
    let turns = outcome.turns
    let complaints = outcome.complaints
    let transcript = try writeTranscript(outcome.transcript, beside: recording)
    for complaint in complaints { presenter.problem(complaint) }
    let verdict: String
    let exitCode: Int32
    if !hasModels, complaints.isEmpty {
      verdict =
        "The sound path works; no model was there to answer. Run `make setup` with a network."
      exitCode = 3
    } else if complaints.isEmpty, !turns.isEmpty {
      verdict = "\(turns.count) of \(turns.count) turns were answered aloud by the model."
      exitCode = 0
    } else if complaints.isEmpty, arguments["--questions"] == "0" {
      verdict = "Nobody spoke, and nobody was heard."
      exitCode = 0
    } else if complaints.isEmpty {
      verdict = "Nothing was said."
      exitCode = isRoom ? 1 : 0
    } else {
      let count = complaints.count == 1 ? "one complaint" : "\(complaints.count) complaints"
      verdict = "The conversation was not as it should be: \(count), above."
      exitCode = 1
    }
    return RunSummary(
      turns: turns, recording: recorded.isEmpty ? nil : recorded.joined(separator: ", "),
      transcript: transcript, verdict: verdict,
      exitCode: exitCode)
  }

  private func writeTranscript(_ text: String, beside recording: URL?) throws(FileFault) -> String?
  {
    guard let recording else { return nil }
    let file = recording.deletingPathExtension().appendingPathExtension("txt")
    do {
      try Data(text.utf8).write(to: file, options: .atomic)
    } catch {
      throw FileFault("cannot write the transcript \(file.path): \(error.localizedDescription)")
    }
    return file.path
  }

}
