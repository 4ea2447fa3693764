import Foundation
import Glibc
import SimulatedRoomControl
import Testing
import VoiceProgram

@testable import voice

/// `voice measure` at a real ALSA device, the simulated room, whose person is the answering device.
@Suite(.serialized)
struct MeasureCommandTests {
  @Test func theTimeInTheAirIsFoundWithin15Milliseconds() async {
    let result = await RealTime.shared.alone {
      await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
        let visit = try MeasuredRoom()
        let answer = try visit.clip("capital-of-france")
        let silence = [Int16](repeating: 0, count: 4 * 48_000)
        let start = Int(try visit.room.say(silence + answer)) + silence.count
        let code = try await MeasureCommand.run([
          "--play", visit.question, "--in", "simroom", "--out", "simroom", "--seconds", "4",
          "--save", visit.saved, "--json",
        ])
        #expect(code == 0)
        // The truth: the room's own tape of the speaker, and where the person began.
        try visit.room.flush()
        let tape = try WAVFile(contentsOf: URL(filePath: visit.tape), channel: 1).samples
        let peak = Int(tape.map { abs(Int($0)) }.max() ?? 0)
        let lastPlayed = try #require(tape.lastIndex { abs(Int($0)) * 50 >= peak })
        let answerPeak = Int(answer.map { abs(Int($0)) }.max() ?? 0)
        let onset = try #require(answer.firstIndex { abs(Int($0)) * 50 >= answerPeak })
        // The question crosses the room in 10 ms, the person speaks at the microphone.
        let truth = Double(start + onset - lastPlayed) / 48 - 10
        let heard = try WAVFile(contentsOf: URL(filePath: visit.saved), channel: 0).samples
        let question = try WAVFile(contentsOf: URL(filePath: visit.question)).samples
        let turn = try AcousticTurn(question: question, recording: heard, earliest: 24_000)
        print("measured \(turn.milliseconds) ms, in the room \(truth) ms, \(turn)")
        #expect(abs(turn.milliseconds - truth) <= 15)
        // The control: an answer that nobody gave is not measured.
        #expect(
          throws: AcousticTurn.Unmeasured.noAnswer,
          performing: {
            try AcousticTurn(
              question: question,
              recording: Array(heard[..<(turn.answerStart - 4_800)]), earliest: 24_000)
          })
        visit.remove()
      }
    }
    print(String(decoding: result?.standardOutputContent ?? [], as: UTF8.self))
  }

  @Test func whatIsMissingIsSaid() async throws {
    let error = await #expect(throws: UsageError.self) { try await MeasureCommand.run([]) }
    #expect(error?.sentence.contains("--play FILE") == true)
    let missing = await #expect(throws: FileFault.self) {
      try await MeasureCommand.run(["--play", "/nonexistent.wav"])
    }
    #expect(missing?.sentence.contains("/nonexistent.wav") == true)
  }
}

/// The room of one measurement; for use inside an exit test, because ALSA's configuration belongs to
/// the whole process.
private struct MeasuredRoom {
  let room: SimulatedRoom
  private let folder: URL

  var question: String { folder.appending(path: "question.wav").path }
  var tape: String { folder.appending(path: "room.wav").path }
  var saved: String { folder.appending(path: "heard.wav").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "measured-room-\(getpid())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let library = try SimulatedRoomLibrary()
    room = try library.room(named: "measured")
    try room.configure(
      SimulatedRoomAcoustics(), recordingTo: folder.appending(path: "room.wav").path)
    let configuration = folder.appending(path: "alsa.conf").path
    try SimulatedRoomConfiguration(libraryPath: library.path, roomName: "measured")
      .write(to: configuration)
    setenv("ALSA_CONFIG_PATH", configuration, 1)
    setenv("VOICE_DATA", folder.path, 1)
    try FileManager.default.copyItem(
      at: Self.fixture("days-in-a-week"), to: folder.appending(path: "question.wav"))
  }

  func clip(_ name: String) throws -> [Int16] {
    try WAVFile(contentsOf: Self.fixture(name)).samples
  }

  /// Each exit test leaves nothing behind.
  func remove() {
    try? FileManager.default.removeItem(at: folder)  // The process ends anyway.
  }

  private static func fixture(_ name: String) -> URL {
    VoiceProgram.cache.appending(path: "fixtures/\(name).wav")
  }
}
