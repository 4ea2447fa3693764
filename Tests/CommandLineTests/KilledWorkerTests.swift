import Foundation
import Glibc
import SessionsModel
import Testing
import VoiceProgram

/// A worker that dies never takes the call with it.
@Suite(.serialized)
struct KilledWorkerTests {
  /// Kills a worker while a question is asked, and looks at what follows.
  private func run(killing worker: String, when moment: String) async throws -> SpokenRun {
    try VoiceProgram.requireModels()
    let place = try TemporaryPlace()
    defer { place.remove() }
    return try await RealTime.shared.alone {
      let process = try await VoiceProcess.start(
        ["run", "--room", "--json", "--questions", "2", "--out", place.file("room.wav").path],
        environment: ["VOICE_DATA": place.folder.path], limit: .seconds(120))
      _ = await process.line { $0.contains("\"state\":\"\(moment)\"") }
      let victim = ProcessTree.descendant(of: process.processID, named: worker)
      #expect(victim != nil, "\(worker) does not run below voice run")
      if let victim { kill(victim, SIGKILL) }
      return SpokenRun(await process.ending())
    }
  }

  @Test(arguments: [
    ("voice-stt", "listening"), ("voice-llm", "thinking"), ("text-to-speech/main.py", "thinking"),
  ])
  func theCallGoesOnAndTheNextQuestionIsAnswered(worker: String, moment: String) async throws {
    let run = try await run(killing: worker, when: moment)
    let report = "\(run.verdict) \(run.problems) \(run.errors)"
    // No answer of a run in which a worker was restarted counts as a clean one.
    #expect(run.exitCode == 1, "\(report)")
    let last = try #require(run.turns.last, "\(report)")
    #expect(last.answeredByModel, "\(report)")
    #expect(last.question.lowercased().contains("week"), "\(report)")
    #expect(run.states.last == "idle")
    #expect(!run.problems.isEmpty)
  }
}
