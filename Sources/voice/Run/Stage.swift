import Foundation
import VoiceEngine

/// Where a conversation takes place.
enum Stage {
  /// A sound card and the person at it.
  case live
  /// The simulated room with its questions.
  case room([FixtureQuestion], folder: URL)

  /// Chooses by what was asked for and what the machine has.
  ///
  /// - Throws: ``FileFault`` when the questions are missing or the WAV is none.
  static func choose(_ arguments: Arguments, places: Places) throws(FileFault) -> Stage {
    if let path = arguments["--wav"] {
      return try .wav(URL(filePath: path))
    }
    // A service has nobody to show a room to: without a card it waits for one.
    if arguments.has("--service") { return .live }
    let isDeviceNamed = arguments["--capture"] != nil || arguments["--playback"] != nil
    if !arguments.has("--room"), isDeviceNamed || !SoundSystem.here.cards().isEmpty { return .live }
    return .room(try questions(in: places.fixtures), folder: places.fixtures)
  }

  private static func wav(_ file: URL) throws(FileFault) -> Stage {
    let recording = try WAVFile(contentsOf: file)
    let question = FixtureQuestion(
      id: file.lastPathComponent, file: file.lastPathComponent, text: "",
      lastVoicedSample: recording.samples.count, expectsTool: false)
    return .room([question], folder: file.deletingLastPathComponent())
  }

  private static func questions(in folder: URL) throws(FileFault) -> [FixtureQuestion] {
    let list = folder.appending(path: "questions.json")
    do {
      return try JSONDecoder().decode([FixtureQuestion].self, from: Data(contentsOf: list))
    } catch {
      throw FileFault(
        "the recorded questions (\(list.path)) cannot be read. Run `make setup`, which makes them: "
          + "\(error.localizedDescription)")
    }
  }
}
