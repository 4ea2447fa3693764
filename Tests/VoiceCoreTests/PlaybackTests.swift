import CVoiceCore
import CVoiceDSP
import Foundation
import Testing

@Suite struct PlaybackTests {
  @Test func speechIsPlayedInFullAndFinishes() throws {
    let core = try SteppedCore()
    let speech = syntheticSpeech(seconds: 1, seed: 2)
    core.run(blocks: 130, packets: try packets(of: speech))
    let last = try #require(core.events(VC_EVENT_PLAYED).last)
    #expect(last.progress.finished == 1)
    #expect(last.progress.played_frames == 48_000)
    // 312 frames is the codec's own delay.
    #expect(abs(bestLag(of: core.written, behind: speech, within: 0...700) - 312) <= 12)
    #expect(core.counters.underruns == 0)
  }

  @Test func packetsOutOfOrderAndTwiceArePlayedOnceInOrder() throws {
    let inOrder = try SteppedCore()
    let shuffled = try SteppedCore()
    let made = try packets(of: syntheticSpeech(seconds: 0.6, seed: 2))
    inOrder.run(blocks: 80, packets: made)
    shuffled.run(blocks: 80, packets: made.reversed() + [made[4]])
    #expect(inOrder.written == shuffled.written)
    #expect(shuffled.counters.late_packets == 1)
  }

  @Test func aLostPacketIsConcealedAndKeepsItsTime() throws {
    let core = try SteppedCore()
    var made = try packets(of: syntheticSpeech(seconds: 1, seed: 2))
    made.remove(at: 20)
    made.remove(at: 10)
    core.run(blocks: 130, packets: made)
    #expect(core.counters.concealed_packets == 2)
    #expect(core.events(VC_EVENT_PLAYED).last?.progress.played_frames == 48_000)
  }

  @Test func redundancyComesNearerToTheLostPacketThanSilence() throws {
    let whole = try SteppedCore()
    let holed = try SteppedCore()
    var made = try packets(of: syntheticSpeech(seconds: 1, seed: 2))
    whole.run(blocks: 100, packets: made)
    made.remove(at: 20)
    holed.run(blocks: 100, packets: made)
    let lost = 20 * 960..<21 * 960
    let error = zip(whole.written[lost], holed.written[lost]).map { $0 - $1 }
    #expect(decibels(error) < decibels(whole.written[lost]) - 3)
  }

  @Test func aHoleTooLongToConcealIsSkipped() throws {
    let core = try SteppedCore()
    var made = try packets(of: syntheticSpeech(seconds: 2, seed: 2))
    made.removeSubrange(20..<60)
    core.run(blocks: 250, packets: made)
    #expect(core.counters.concealed_packets == 10)
    #expect(core.counters.skipped_packets == 30)
    #expect(core.events(VC_EVENT_PLAYED).last?.progress.finished == 1)
  }

  @Test func theQueueHoldsItsBoundAndCountsTheRest() throws {
    let core = try SteppedCore()
    // 700 packets in blocks of 64: while they come, a few are played.
    core.run(blocks: 11, packets: try packets(of: syntheticSpeech(seconds: 14, seed: 2)))
    #expect(core.playout.queued_packets <= UInt32(VC_QUEUE_PACKETS))
    #expect(core.counters.refused_packets > 150)
  }

  @Test func malformedPacketsAreRefused() throws {
    let core = try SteppedCore()
    var unknown = vd_packet()
    unknown.generation = 1
    unknown.kind = 9
    var empty = vd_packet()
    empty.generation = 1
    empty.kind = UInt8(VD_PACKET_OPUS)
    var overlong = vd_packet()
    overlong.generation = 1
    overlong.kind = UInt8(VD_PACKET_OPUS)
    overlong.bytes = 9_999
    core.run(blocks: 10, packets: [unknown, empty, overlong])
    #expect(core.counters.refused_packets == 3)
    #expect(core.written.allSatisfy { $0 == 0 })
  }

  @Test func garbageInsideAPacketTakesItsTimeAndDoesNoHarm() throws {
    let core = try SteppedCore()
    var made = try packets(of: syntheticSpeech(seconds: 0.4, seed: 2))
    withUnsafeMutableBytes(of: &made[5].payload) {
      $0.copyBytes(from: repeatElement(0xff, count: 60))
    }
    made[5].bytes = 60
    core.run(blocks: 80, packets: made)
    #expect(core.events(VC_EVENT_PLAYED).last?.progress.played_frames == 19_200)
    #expect(core.written.allSatisfy { $0.isFinite && abs($0) <= 1.5 })
  }

  @Test func speechThatRunsDryGoesOnWhenItComes() throws {
    let core = try SteppedCore()
    let made = try packets(of: syntheticSpeech(seconds: 1, seed: 2))
    core.run(blocks: 60, packets: Array(made[..<20]))
    core.run(blocks: 100, packets: Array(made[20...]))
    #expect(core.counters.underruns == 1)
    #expect(core.events(VC_EVENT_PLAYED).last?.progress.played_frames == 48_000)
    #expect(core.events(VC_EVENT_PLAYED).last?.progress.finished == 1)
  }

  /// A slow voice leaves holes between sentences: the agent is seen to speak after them too (R78).
  @Test func afterALongHoleTheAgentSpeaksAgain() throws {
    let core = try SteppedCore()
    let made = try packets(of: syntheticSpeech(seconds: 2, seed: 2))
    core.run(blocks: 100, packets: Array(made[..<20]))
    #expect(core.events(VC_EVENT_SPEAKING_STOPPED).count == 1)
    #expect(core.playout.audible == 0)
    core.run(blocks: 60, packets: Array(made[20...]))
    #expect(core.playout.audible == 1)
    core.run(blocks: 140)
    let started = core.events(VC_EVENT_SPEAKING_STARTED).map(\.timestamp)
    let stopped = core.events(VC_EVENT_SPEAKING_STOPPED).map(\.timestamp)
    try #require(started.count == 2 && stopped.count == 2)
    #expect(started[0] < stopped[0] && stopped[0] < started[1] && started[1] < stopped[1])
    let progress = try #require(core.events(VC_EVENT_PLAYED).last).progress
    #expect(progress.started_at == started[0], "the generation began once")
    #expect(progress.finished == 1)
  }

  @Test func flushFadesWithinABlockAndNothingFollows() throws {
    let core = try SteppedCore()
    let made = try packets(of: syntheticSpeech(seconds: 3, seed: 2))
    core.run(blocks: 50, packets: Array(made[..<60]))
    let flushedAt = core.written.count + SteppedCore.converterFrames
    core.flushBelow = 2
    core.run(blocks: 50, packets: Array(made[60..<80]))
    let fade = core.written[flushedAt..<flushedAt + 480]
    #expect(core.written[(flushedAt + 480)...].allSatisfy { $0 == 0 })
    #expect(fade.contains { $0 != 0 })
    #expect(abs(fade.last ?? 1) < 0.005)
    // No step is larger than those of the speech itself.
    func largestStep(_ range: Range<Int>) -> Float {
      zip(core.written[range], core.written[range].dropFirst()).map { abs($0 - $1) }.max() ?? 0
    }
    #expect(largestStep(flushedAt - 1..<flushedAt + 481) <= largestStep(0..<flushedAt))
    #expect(core.counters.stale_packets > 20)
    let last = try #require(core.events(VC_EVENT_PLAYED).last)
    #expect(last.progress.flushed == 1 && last.progress.finished == 0)
    #expect(core.events(VC_EVENT_SPEAKING_STOPPED).count == 1)
  }

  @Test func theNextGenerationFollowsAFlushAtOnce() throws {
    let core = try SteppedCore()
    core.run(blocks: 30, packets: try packets(of: syntheticSpeech(seconds: 2, seed: 2)))
    core.flushBelow = 2
    core.run(
      blocks: 120,
      packets: try packets(
        of: syntheticSpeech(seconds: 0.5, seed: 1), generation: 2, firstSequence: 500))
    let last = try #require(core.events(VC_EVENT_PLAYED).last)
    #expect(last.progress.generation == 2)
    #expect(last.progress.finished == 1)
    #expect(last.progress.played_frames == 24_000)
  }

  @Test func aGenerationCutWhileItWaitsForMoreIsFlushedAndNotFinished() throws {
    let core = try SteppedCore()
    let made = try packets(of: syntheticSpeech(seconds: 1, seed: 2))
    core.run(blocks: 60, packets: Array(made[..<20]))
    core.flushBelow = 2
    core.run(
      blocks: 100,
      packets: try packets(
        of: syntheticSpeech(seconds: 0.5, seed: 1), generation: 2, firstSequence: 500))
    let ends = core.events(VC_EVENT_PLAYED).map(\.progress).filter {
      $0.finished != 0 || $0.flushed != 0
    }
    #expect(ends.map(\.generation) == [1, 2])
    #expect(ends.map(\.flushed) == [1, 0])
    #expect(ends.map(\.finished) == [0, 1])
  }

  @Test func plainSamplesArePlayedExactly() throws {
    let core = try SteppedCore()
    let samples = (0..<2_400).map { Int16(clamping: Int(12_000 * sin(Double($0) * 0.05))) }
    let made = stride(from: 0, to: samples.count, by: 600).enumerated().map { index, start in
      var packet = vd_packet()
      packet.generation = 1
      packet.sequence = UInt32(index)
      packet.kind = UInt8(VD_PACKET_PCM16)
      packet.bytes = 1_200
      withUnsafeMutableBytes(of: &packet.payload) { payload in
        samples[start..<start + 600].withUnsafeBytes { payload.copyBytes(from: $0) }
      }
      return packet
    }
    core.run(blocks: 20, packets: made)
    let start = SteppedCore.converterFrames
    #expect(Array(core.written[start..<start + 2_400]) == samples.map { Float($0) / 32_768 })
  }
}
