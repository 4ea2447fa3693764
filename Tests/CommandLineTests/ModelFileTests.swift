import Foundation
import Testing
import VoiceProgram

/// Model files that are missing or damaged.
@Suite(.serialized)
struct ModelFileTests {
  private func ask(_ models: ModelPlace, questions: Int = 1) async throws -> SpokenRun {
    try await RealTime.shared.alone {
      let process = try await VoiceProcess.start(
        [
          "run", "--room", "--json", "--questions", "\(questions)", "--out",
          models.place.file("room.wav").path,
        ], environment: models.environment, limit: .seconds(100))
      return SpokenRun(await process.ending())
    }
  }

  @Test func withoutAnyModelTheSoundPathIsProven() async throws {
    let models = try ModelPlace(hasModels: false)
    defer { models.place.remove() }
    let run = try await ask(models, questions: 2)
    #expect(run.exitCode == 3, "\(run.verdict) \(run.problems) \(run.errors)")
    #expect(run.verdict.contains("make setup"))
    #expect(run.notices.contains { $0.contains("make setup") })
    #expect(run.turns.count == 2)
    let recording = try RoomRecording(contentsOf: models.place.file("room.wav"))
    let utterances = recording.utterances
    try #require(utterances.count == 2)
    for utterance in utterances {
      let sound = recording.firstSound(from: utterance.upperBound)
      let answer = try #require(sound)
      #expect(answer - utterance.upperBound < 3 * 48_000, "the fixed line came too late")
    }
  }

  /// A single missing file is no reason to converse with half a mind.
  @Test(arguments: ["ggml-tiny.en-q8_0.bin", "hibari"])
  func aMissingFileIsNamedAndTheSoundPathIsProven(name: String) async throws {
    let models = try ModelPlace()
    defer { models.place.remove() }
    try models.lose(name)
    let run = try await ask(models)
    #expect(run.exitCode == 3, "\(run.verdict) \(run.problems) \(run.errors)")
    #expect(
      run.notices.contains { $0.contains(name) && $0.contains("make setup") }, "\(run.notices)")
  }

  @Test(arguments: ["ggml-tiny.en-q8_0.bin", "SmolLM2-135M-Instruct.Q4_1.gguf"])
  func aDamagedFileIsNamed(name: String) async throws {
    let models = try ModelPlace()
    defer { models.place.remove() }
    try models.halve(name)
    let run = try await ask(models)
    #expect(run.exitCode == 1, "\(run.verdict)")
    let told = run.problems.joined(separator: " ") + run.errors
    #expect(told.contains(name), "\(told)")
    #expect(told.contains("make setup"), "\(told)")
  }

  @Test func theListOfModelsSaysWhatIsDamagedAndFails() async throws {
    let models = try ModelPlace()
    defer { models.place.remove() }
    try FileManager.default.createSymbolicLink(
      at: models.place.file("cache/models.json"),
      withDestinationURL: VoiceProgram.cache.appending(path: "models.json"))
    let whole = try await VoiceProcess.start(
      ["models", "list"], environment: models.environment, limit: .seconds(60)
    ).ending()
    #expect(whole.exitCode == 0, "\(whole.output) \(whole.errors)")
    try models.halve("silero_vad_16k.safetensors")
    let damaged = try await VoiceProcess.start(
      ["models", "list"], environment: models.environment, limit: .seconds(60)
    ).ending()
    #expect(damaged.exitCode == 1)
    #expect(
      damaged.output.contains { $0.hasPrefix("damaged") && $0.contains("silero_vad_16k") },
      "\(damaged.output)")
  }
}
