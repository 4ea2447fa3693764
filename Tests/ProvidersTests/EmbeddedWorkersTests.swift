import Foundation
import Glibc
import Networking
import Testing

@testable import Providers

/// The workers that set-up builds, with their real models; skipped where set-up has not run.
@Suite(.enabled(if: EmbeddedWorkers.areInstalled), .serialized) struct EmbeddedWorkersTests {
  @Test func aRecordedQuestionIsHeardAnsweredAndSpoken() async throws {
    let workers = EmbeddedWorkers()
    let samples = try EmbeddedWorkers.question("capital-of-france")
    let report = try await workers.runtime.throwingTask {
      try await workers.turn(samples)  // the first turn warms caches
      return try await workers.turn(samples)
    }.value
    print(report)
    #expect(report.heard.lowercased().contains("capital of france"))
    #expect(report.answer.contains("Paris"))
    #expect(report.spokenMilliseconds > 500)
    await workers.stop()
  }

  @Test func aForcedToolCallKeepsToTheSchemaAndItsResultIsAnswered() async throws {
    let workers = EmbeddedWorkers()
    let tool = ModelTool(
      name: "lookup_order", description: "Tells where an order is",
      parameters:
        #"{"type":"object","properties":{"order_id":{"type":"string"}},"required":["order_id"]}"#)
    var prompt = ModelPrompt(
      messages: [
        ModelMessage(.system, "You are a helpful assistant. Answer in one short sentence."),
        ModelMessage(.user, "Where is order 1042?"),
      ], tools: [tool], toolChoice: .tool(name: "lookup_order"))
    let (calls, _) = try await workers.answer(prompt)
    let call = try #require(calls.first)
    #expect(call.name == "lookup_order")
    #expect(call.arguments.contains("1042"))
    prompt.messages.append(ModelMessage(.assistant, "", toolCalls: [call]))
    prompt.messages.append(
      ModelMessage(.tool, "It is in Utrecht and arrives tomorrow.", toolCallID: call.id))
    prompt.toolChoice = .automatic
    let (_, answer) = try await workers.answer(prompt)
    print(call, answer)
    #expect(answer.contains("Utrecht") || answer.contains("tomorrow"))
    await workers.stop()
  }

  @Test func aWorkerKilledInMidRequestComesBackForTheNextOne() async throws {
    let workers = EmbeddedWorkers()
    let samples = try EmbeddedWorkers.question("capital-of-france")
    let (first, second) = try await workers.runtime.throwingTask {
      let first: Bool
      do {
        let request = try await workers.recogniser.begin()
        await request.append(samples)
        try EmbeddedWorkers.kill("voice-stt")
        _ = try await request.finish()
        first = true
      } catch {
        first = false
      }
      let request = try await workers.recogniser.begin()
      await request.append(samples)
      return (first, try await request.finish().text)
    }.value
    #expect(!first)
    #expect(second.lowercased().contains("capital of france"))
    await workers.stop()
  }
}

/// The three workers on a loop of their own.
final class EmbeddedWorkers: Sendable {
  struct Report: Sendable, CustomStringConvertible {
    var heard = ""
    var answer = ""
    var hearingMilliseconds = 0.0
    var firstTokenMilliseconds = 0.0
    var answeredMilliseconds = 0.0
    var firstSpeechMilliseconds = 0.0
    var spokenMilliseconds = 0.0

    var description: String {
      """
      heard "\(heard)" in \(hearingMilliseconds) ms, first token \(firstTokenMilliseconds) ms, \
      answer "\(answer)" \(answeredMilliseconds) ms, first speech \(firstSpeechMilliseconds) ms, \
      \(spokenMilliseconds) ms of speech
      """
    }
  }

  private static let cache =
    ProcessInfo.processInfo.environment["VOICE_CACHE"] ?? NSHomeDirectory() + "/.cache/voice"

  static var areInstalled: Bool {
    ["voice-stt", "voice-llm", "voice-tts"].allSatisfy {
      FileManager.default.isExecutableFile(atPath: "\(cache)/engines/current/bin/\($0)")
    } && FileManager.default.fileExists(atPath: "\(cache)/fixtures/capital-of-france.wav")
  }

  let runtime: LoopRuntime
  let recogniser: WorkerSpeechToText
  let model: WorkerLanguageModel
  private let voice: WorkerTextToSpeech
  private let supervisors: [WorkerSupervisor]

  init() {
    let runtime = LoopRuntime()
    self.runtime = runtime
    supervisors = ["voice-stt", "voice-llm", "voice-tts"].map { program in
      var limits = WorkerSupervisor.Limits()
      limits.admission = .seconds(30)
      return WorkerSupervisor(
        name: program,
        launcher: WorkerProcessLauncher(
          path: "\(Self.cache)/engines/current/bin/\(program)", arguments: [], runtime: runtime),
        runtime: runtime, limits: limits, onTrouble: { print($0) })
    }
    recogniser = WorkerSpeechToText(supervisor: supervisors[0])
    model = WorkerLanguageModel(supervisor: supervisors[1])
    voice = WorkerTextToSpeech(supervisor: supervisors[2])
  }

  func stop() async {
    for supervisor in supervisors { await supervisor.stop() }
    await runtime.stop()
  }

  /// The calls and the words of one answer.
  func answer(_ prompt: ModelPrompt) async throws -> ([ModelToolCall], String) {
    try await runtime.throwingTask {
      let reply = try await self.model.respond(to: prompt)
      var calls: [ModelToolCall] = []
      var words = ""
      while let event = try await reply.next() {
        switch event {
        case .text(let text): words += text
        case .toolCall(let call): calls.append(call)
        case .finished, .speech: break
        }
      }
      return (calls, words)
    }.value
  }

  @discardableResult
  func turn(_ samples: [Int16]) async throws -> Report {
    var report = Report()
    let request = try await recogniser.begin()
    await request.append(samples)
    let end = runtime.now
    report.heard = try await request.finish().text
    report.hearingMilliseconds = (runtime.now - end).milliseconds
    let asked = runtime.now
    let reply = try await model.respond(
      to: ModelPrompt(messages: [
        ModelMessage(.system, "You are a helpful assistant. Answer in one short sentence."),
        ModelMessage(.user, report.heard),
      ]))
    while let event = try await reply.next() {
      guard case .text(let text) = event else { continue }
      if report.answer.isEmpty {
        report.firstTokenMilliseconds = (runtime.now - asked).milliseconds
      }
      report.answer += text
    }
    report.answeredMilliseconds = (runtime.now - asked).milliseconds
    let spoken = runtime.now
    let speech = try await voice.speak(report.answer, voice: "")
    var count = 0
    while let samples = try await speech.next() {
      if count == 0 { report.firstSpeechMilliseconds = (runtime.now - spoken).milliseconds }
      count += samples.count
    }
    report.spokenMilliseconds = Double(count * 1000 / (await voice.rate))
    return report
  }

  /// A question of set-up at 16 kHz: each three samples of 48 kHz become their mean.
  static func question(_ id: String) throws -> [Int16] {
    let bytes = try [UInt8](
      Data(contentsOf: URL(filePath: "\(cache)/fixtures/\(id).wav"))
    ).dropFirst(44)
    let samples = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map { index in
      Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8)
    }
    return stride(from: 0, to: samples.count - 2, by: 3).map { index in
      let sum = samples[index..<(index + 3)].reduce(0) { $0 + Int($1) }
      return Int16(sum / 3)
    }
  }

  /// Kills this process's child with a name.
  static func kill(_ program: String) throws {
    for entry in try FileManager.default.contentsOfDirectory(atPath: "/proc") {
      guard let id = Int32(entry),
        let stat = try? String(
          contentsOfFile: "/proc/\(entry)/stat", encoding: .utf8)
      else { continue }  // The process ended meanwhile.
      let fields = stat.split(separator: " ")
      guard stat.contains("(\(program))"), fields.count > 3,
        Int32(fields[3]) == ProcessInfo.processInfo.processIdentifier
      else { continue }
      _ = Glibc.kill(id, SIGKILL)
    }
  }
}
