import Foundation
import SimulatedRoomControl
import Testing

@testable import VoiceEngine

/// A card that hides a part of its latency, and one that has a channel with what the speaker plays:
/// the audio thread and ALSA for real, time by the room's own clock. Each in a process of its own.
@Suite(.serialized) struct HiddenLatencyTests {
  /// The agent speaks for three seconds, and after a pause once more.
  ///
  /// - Parameter echo: by how much the echo is softer than the speaker, in dB.
  /// - Returns: by how much the second beginning was told too early, in ms, and the clock's state.
  private static func begin(
    hiding milliseconds: Int64, looks: Bool, echo: Double
  ) throws -> (early: Double, playout: PlayoutSnapshot) {
    let acoustics = SimulatedRoomAcoustics(
      echoReturnLossDB: echo, delayMS: 1.5, rt60MS: 200, noiseDBFS: -70)
    let live = try LiveRoom(acoustics: acoustics) { $0.findsHiddenLatency = looks }
    try live.room.setLatency(hidden: milliseconds * 48)
    try live.start()
    try live.pass(blocks: 20)
    var sound = TestSound()
    for _ in 0..<300 {
      #expect(live.engine.receive(sound.packet()))
      try live.pass(blocks: 1)
    }
    #expect(live.engine.receive(sound.end()))
    try live.pass(blocks: 100)
    let before = live.outputs.count
    for packet in tone(generation: 2, packets: 30) { #expect(live.engine.receive(packet)) }
    try live.pass(blocks: 100)
    let capture = Int(try #require(live.room.streamStart(.capture)))
    let playout = live.engine.playout
    live.engine.stop()
    let spoken = 420 * 480
    let heard = try live.speaker().dropFirst(capture + spoken)
    let first = try #require(heard.firstIndex { abs(Int($0)) > 327 }) - capture
    let started = live.outputs.dropFirst(before).compactMap { output -> Int? in
      if case .speaking(true, let timestamp) = output { Int(timestamp) } else { nil }
    }
    return (Double(first - (try #require(started.first))) / 48, playout)
  }

  @Test func whatACardHidesIsFoundAndTheAgentIsReportedWhenItIsHeard() async {
    await #expect(processExitsWith: .success) {
      let (early, playout) = try Self.begin(hiding: 100, looks: true, echo: 10)
      print("100 ms hidden: told \(early) ms early, found \(playout.hiddenLatencyFrames) frames")
      #expect(abs(early) <= 2)
      #expect(playout.isHiddenLatencyFound && abs(playout.hiddenLatencyFrames - 4_800) <= 96)
    }
  }

  @Test func threeTenthsOfASecondAreFoundLikewise() async {
    await #expect(processExitsWith: .success) {
      let (early, playout) = try Self.begin(hiding: 300, looks: true, echo: 10)
      print("300 ms hidden: told \(early) ms early, found \(playout.hiddenLatencyFrames) frames")
      #expect(abs(early) <= 2)
      #expect(playout.isHiddenLatencyFound)
    }
  }

  @Test func whatIsNotLookedForMakesTheReportEarlyByIt() async {
    await #expect(processExitsWith: .success) {
      let (early, playout) = try Self.begin(hiding: 100, looks: false, echo: 10)
      #expect(abs(early - 100) <= 2)
      #expect(!playout.isHiddenLatencyFound)
    }
  }

  @Test func nothingIsCorrectedWhereNothingIsHidden() async {
    await #expect(processExitsWith: .success) {
      let (early, playout) = try Self.begin(hiding: 0, looks: true, echo: 10)
      print("nothing hidden: told \(early) ms early")
      #expect(abs(early) <= 2)
      #expect(playout.hiddenLatencyFrames == 0 && playout.isHiddenLatencyFound)
    }
  }

  /// A headset: what cannot be heard cannot be found, and nothing is made up.
  @Test func withoutAnEchoNothingIsFound() async {
    await #expect(processExitsWith: .success) {
      let (early, playout) = try Self.begin(hiding: 100, looks: true, echo: 200)
      #expect(abs(early - 100) <= 2)
      #expect(playout.hiddenLatencyFrames == 0 && !playout.isHiddenLatencyFound)
    }
  }

  /// One second of nobody and three of the agent, on a card with two channels.
  ///
  /// - Parameter isTrue: whether the second carries what the speaker plays, not a microphone.
  private static func useArray(channel: Int, isTrue: Bool) throws -> PlayoutSnapshot {
    let line = isTrue ? "microphone_channel 1 reference_channel 2" : ""
    let live = try LiveRoom(
      device: "array",
      definition: "pcm.array { type simroom room \"live\" channels 2 \(line) }",
      acoustics: SimulatedRoomAcoustics(
        echoReturnLossDB: 6, delayMS: 1.5, rt60MS: 100, noiseDBFS: -55)
    ) {
      $0.microphoneChannel = 1
      $0.referenceChannel = channel
    }
    try live.start()
    try live.pass(blocks: 100)
    var sound = TestSound()
    for _ in 0..<300 {
      #expect(live.engine.receive(sound.packet()))
      try live.pass(blocks: 1)
    }
    defer { live.engine.stop() }
    return live.engine.playout
  }

  @Test func theCardsOwnChannelIsWhatTheCancellerTakes() async {
    await #expect(processExitsWith: .success) {
      let playout = try Self.useArray(channel: 2, isTrue: true)
      #expect(playout.isReferenceWired)
    }
  }

  @Test func aChannelThatNobodyNamedIsNotTaken() async {
    await #expect(processExitsWith: .success) {
      let playout = try Self.useArray(channel: 0, isTrue: true)
      #expect(!playout.isReferenceWired)
    }
  }

  /// The person would be cancelled.
  @Test func aMicrophoneIsNotTakenForThatChannel() async {
    await #expect(processExitsWith: .success) {
      let playout = try Self.useArray(channel: 2, isTrue: false)
      #expect(!playout.isReferenceWired)
    }
  }
}
