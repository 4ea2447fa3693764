import Foundation
import Glibc
import SessionsModel
import SimulatedRoomControl
import Testing
import VoiceProgram

/// `voice run --record` at a sound card; the card is the simulated room, which records too.
@Suite(.serialized)
struct RecordedRunTests {
  /// An ALSA configuration in which the room is a card like any other.
  private func writeCard(in place: TemporaryPlace) throws -> URL {
    let library = try SimulatedRoomLibrary()
    return try place.write(
      "asound.conf",
      """
      </usr/share/alsa/alsa.conf>
      pcm_type.simroom { lib "\(library.path)" }
      pcm.card { type simroom noise_dbfs -50 record "\(place.file("room.wav").path)" }

      """)
  }

  private func arguments(_ place: TemporaryPlace) -> [String] {
    [
      "run", "--json", "--capture", "card", "--playback", "card", "--record",
      "--config", place.file("router.yaml").path, "--out", place.file("mine/talk.wav").path,
    ]
  }

  @Test func whatIsRecordedIsWhatTheRoomHeard() async throws {
    try VoiceProgram.requireModels()
    let place = try TemporaryPlace()
    defer { place.remove() }
    try place.writeConfiguration(agent: ["greeting: Good morning to you."])
    let card = try writeCard(in: place)
    let run = try await RealTime.shared.alone {
      let process = try await VoiceProcess.start(
        arguments(place),
        environment: ["VOICE_DATA": place.folder.path, "ALSA_CONFIG_PATH": card.path],
        limit: .seconds(90))
      _ = await process.line { $0.contains("\"state\":\"speaking\"") }
      // Counted from that line: on a busy machine the reply may be over by now.
      let count = (process.lines.firstIndex { $0.contains("\"state\":\"speaking\"") } ?? 0) + 1
      _ = await process.line(after: count) { $0.contains("\"state\":\"idle\"") }
      process.signal(SIGINT)
      return SpokenRun(await process.ending())
    }
    #expect(run.exitCode == 0, "\(run.errors) \(run.problems)")
    let path = place.file("mine/talk.wav").path
    #expect(run.events("summary").last?["recording"]?.stringValue == path)

    // The list of what was said belongs to the room's file; the person said nothing in both.
    try FileManager.default.copyItem(
      at: place.file("room.json"), to: place.file("mine/talk.json"))
    let mine = try RoomRecording(contentsOf: place.file("mine/talk.wav"))
    let room = try RoomRecording(contentsOf: place.file("room.wav"))
    let begin = 4_800..<24_000
    try #require(mine.microphone.count > begin.upperBound)
    #expect(mine.microphone[begin] == room.microphone[begin])
    #expect(mine.microphone[begin].contains { $0 != 0 })
    let recorded = try #require(mine.firstSound(from: 0))
    let heard = try #require(room.firstSound(from: 0))
    print("greeting recorded at \(recorded), heard at \(heard)")
    // 2 ms is the promise of the playout clock; a busy machine's xruns cost more.
    #expect(abs(recorded - heard) <= 960)
  }

  @Test func aRecordingThatIsThereIsNotOverwritten() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    try place.writeConfiguration()
    try FileManager.default.createDirectory(
      at: place.file("mine"), withIntermediateDirectories: true)
    try place.write("mine/talk.wav", "precious")
    let ending = try await VoiceProcess.start(
      arguments(place), environment: ["VOICE_DATA": place.folder.path], limit: .seconds(60)
    ).ending()
    #expect(ending.exitCode == 1)
    #expect(ending.errors.contains("mine/talk.wav is there already"), "\(ending.errors)")
    let kept = try String(contentsOf: place.file("mine/talk.wav"), encoding: .utf8)
    #expect(kept == "precious")
  }

  @Test func devicesSaysWhatIsThereAndWhetherRealtimeIsPermitted() async throws {
    let ending = try await VoiceProcess.start(["devices"], limit: .seconds(30)).ending()
    #expect(ending.exitCode == 0)
    let text = ending.output.joined(separator: "\n")
    let saysCards = ["No sound card.", "may not be opened", "(card "].contains { text.contains($0) }
    #expect(saysCards, "\(text)")
    let isPermitted = text.contains("permitted (SCHED_FIFO)")
    #expect(isPermitted != text.contains(" - rtprio 40"), "\(text)")
  }
}
