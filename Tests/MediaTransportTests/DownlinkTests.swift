import CMediaTransport
import CVoiceDSP
import Foundation
import Testing

@Suite struct DownlinkTests {
  private func opus(_ packets: [Packet]) -> [Packet] {
    packets.filter { $0.kind == VD_PACKET_OPUS }
  }

  @Test func speechGoesOutExactlyAheadOfItsTime() throws {
    let call = try VirtualCall()
    let speech = DeviceVoice.pcm16(seconds: 3, rate: 24_000)
    #expect(call.speak(speech) == speech.count)
    call.step()
    var sent = call.takePackets().count
    #expect(sent == 15, "300 ms at once")
    for elapsed in 1..<2_500 {
      call.advance(to: elapsed)
      sent += call.takePackets().count
      #expect(sent == min(300 + 2 * elapsed, 400 + elapsed) / 20, "after \(elapsed) ms")
    }
  }

  @Test(arguments: [8_000, 16_000, 22_050, 24_000, 44_100, 48_000] as [Int32])
  func theListenerHearsTheSpeechWhole(rate: Int32) throws {
    let call = try VirtualCall()
    call.speak(DeviceVoice.pcm16(seconds: 2, rate: Double(rate)), rate: rate)
    #expect(mt_call_speak_end(call.call, 1) == 0)
    let packets = call.run(until: 2_500)
    #expect(packets.last?.kind == VD_PACKET_END)
    #expect(packets.filter { $0.kind == VD_PACKET_END }.count == 1)
    let speech = opus(packets)
    #expect((100...101).contains(speech.count), "2 s and what the codec holds back")
    #expect(packets.map(\.sequence) == Array(0..<UInt32(packets.count)))
    #expect(packets.map(\.timestamp) == (0..<UInt32(packets.count)).map { $0 * 960 })
    #expect(packets.allSatisfy { $0.generation == 1 })

    let heard = try DeviceVoice.decode(speech, rate: 16_000)
    let spoken = DeviceVoice.signal(seconds: 2, rate: 16_000)
    let likeness: [Float] = (60..<200).map { lag in
      zip(spoken[..<8_000], heard[lag...]).reduce(0) { $0 + $1.0 * $1.1 }
    }
    let best = likeness.max() ?? 0
    let power: Float = spoken[..<8_000].reduce(0) { $0 + $1 * $1 }
    #expect(best / power > 0.8, "correlation with what was spoken: \(best / power)")
  }

  @Test func theLastMillisecondsAreNotCutOff() throws {
    let call = try VirtualCall()
    var click = [Int16](repeating: 0, count: 24_000)
    for index in 23_760..<24_000 { click[index] = index % 48 < 24 ? 12_000 : -12_000 }
    call.speak(click)
    #expect(mt_call_speak_end(call.call, 1) == 0)
    let heard = try DeviceVoice.decode(opus(call.run(until: 1_500)), rate: 48_000)
    func power(_ range: Range<Int>) -> Double {
      heard[range].reduce(0.0) { $0 + Double($1 * $1) }
    }
    #expect(power(47_500..<heard.count) > 20 * power(40_000..<46_000))
    #expect(power(48_000..<heard.count) > 0.1 * power(47_500..<48_000), "the codec's delay")
  }

  @Test func shortSpeechIsPaddedToAPacketAndEnded() throws {
    let call = try VirtualCall()
    call.speak([100, 200, 300])
    #expect(call.run(until: 50).isEmpty, "more may follow")
    #expect(mt_call_speak_end(call.call, 1) == 0)
    #expect(call.run(until: 60).map(\.kind) == [VD_PACKET_OPUS, VD_PACKET_END])
  }

  @Test func anEmptyGenerationIsJustEnded() throws {
    let call = try VirtualCall()
    #expect(mt_call_speak_end(call.call, 5) == 0)
    let packets = call.run(until: 10)
    #expect(packets.map(\.kind) == [VD_PACKET_END])
    #expect(packets.map(\.generation) == [5])
  }

  @Test func piecesSoundLikeTheWhole() throws {
    let speech = DeviceVoice.pcm16(seconds: 1, rate: 24_000)
    let whole = try VirtualCall()
    whole.speak(speech)
    #expect(mt_call_speak_end(whole.call, 1) == 0)
    let pieces = try VirtualCall()
    for start in stride(from: 0, to: speech.count, by: 37) {
      pieces.speak(Array(speech[start..<min(start + 37, speech.count)]))
    }
    #expect(mt_call_speak_end(pieces.call, 1) == 0)
    let one = try DeviceVoice.decode(opus(whole.run(until: 1_500)), rate: 48_000)
    let other = try DeviceVoice.decode(opus(pieces.run(until: 1_500)), rate: 48_000)
    #expect(one.count == other.count)
    #expect(zip(one, other).allSatisfy { abs($0 - $1) < 0.01 })
  }

  @Test func flushedSpeechIsGoneAndLeavesNoTraceInWhatFollows() throws {
    let speech = DeviceVoice.pcm16(seconds: 2, rate: 24_000)
    let fresh = try VirtualCall()
    fresh.speak(speech, generation: 2)
    let expected = fresh.run(until: 600).map(\.payload)

    let call = try VirtualCall()
    call.speak(DeviceVoice.pcm16(seconds: 5, rate: 24_000).reversed(), generation: 1)
    #expect(!call.run(until: 333).isEmpty)
    call.advance(to: 334)
    mt_call_flush(call.call, 2)
    #expect(call.takePackets().isEmpty, "packets not yet taken are dropped too")
    call.speak(speech, generation: 2)
    let packets = call.run(until: 334 + 600)
    #expect(packets.allSatisfy { $0.generation == 2 })
    #expect(packets.map(\.payload) == expected, "bit for bit, at the same pace")
  }

  @Test func lateWordsOfAFlushedGenerationAreTakenAndForgotten() throws {
    let call = try VirtualCall()
    mt_call_flush(call.call, 3)
    #expect(call.speak([Int16](repeating: 1_000, count: 24_000), generation: 2) == 24_000)
    #expect(mt_call_speak_end(call.call, 2) == 0)
    #expect(call.run(until: 100).isEmpty)
    #expect(call.counters.speech_refused == 0)
    mt_call_flush(call.call, 1)
    #expect(call.speak([0], generation: 2) == 1)
    #expect(call.run(until: 200).isEmpty, "a lower flush takes nothing back")
  }

  @Test func aFlushBetweenGenerationsSparesTheLaterOne() throws {
    let call = try VirtualCall()
    call.speak(DeviceVoice.pcm16(seconds: 1, rate: 24_000), generation: 1)
    #expect(mt_call_speak_end(call.call, 1) == 0)
    call.speak(DeviceVoice.pcm16(seconds: 1, rate: 24_000), generation: 2)
    #expect(mt_call_speak_end(call.call, 2) == 0)
    mt_call_flush(call.call, 2)
    let packets = call.run(until: 1_500)
    #expect(packets.allSatisfy { $0.generation == 2 })
    #expect(packets.last?.kind == VD_PACKET_END)
  }

  @Test func generationsThatFollowKeepOneLead() throws {
    let call = try VirtualCall()
    for generation in 1...3 as ClosedRange<UInt32> {
      call.speak(DeviceVoice.pcm16(seconds: 0.5, rate: 24_000), generation: generation)
      #expect(mt_call_speak_end(call.call, generation) == 0)
    }
    call.step()
    var sent = opus(call.takePackets()).count
    var generations: [UInt32] = []
    for elapsed in 1..<1_600 {
      call.advance(to: elapsed)
      let packets = call.takePackets()
      generations += packets.map(\.generation)
      sent += opus(packets).count
      #expect(sent * 20 <= 400 + elapsed, "after \(elapsed) ms")
    }
    #expect(generations == generations.sorted())
    #expect(generations.last == 3)
  }

  @Test func afterAPauseTheLeadIsBuiltAnew() throws {
    let call = try VirtualCall()
    let half = DeviceVoice.pcm16(seconds: 0.5, rate: 24_000)
    call.speak(half)
    let first = call.run(until: 2_000)
    #expect(first.count == 24, "24 whole packets; the rest waits in the resampler")
    call.speak(DeviceVoice.pcm16(seconds: 2, rate: 24_000))
    call.step()
    #expect(call.takePackets().count == 15)
    #expect(call.run(until: 2_100).count == 10)
  }

  @Test func tenSecondsWaitAtMost() throws {
    let call = try VirtualCall()
    let speech = [Int16](repeating: 0, count: 12 * 24_000)
    #expect(call.speak(speech) == 240_000)
    #expect(call.counters.speech_refused == 48_000)
    #expect(call.speak([1]) == 0)
    call.step()
    let room = call.speak(speech)
    #expect(
      (7_680...8_640).contains(room),
      "15 packets and what is being made into the next have left: \(room)")
  }

  @Test func aListenerThatTakesNothingStallsTheSpeechAndLosesNone() throws {
    let call = try VirtualCall()
    let speech = DeviceVoice.pcm16(seconds: 9, rate: 24_000)
    #expect(call.speak(speech) == speech.count)
    #expect(mt_call_speak_end(call.call, 1) == 0)
    for elapsed in stride(from: 0, to: 12_000, by: 5) { call.advance(to: elapsed) }
    #expect(call.counters.outgoing_stalled > 0)
    let packets = call.run(until: 24_000)
    #expect(packets.last?.kind == VD_PACKET_END)
    #expect((450...451).contains(opus(packets).count))
    #expect(packets.map(\.sequence) == Array(0..<UInt32(packets.count)))
    #expect(call.counters.packets_sent == UInt64(packets.count))
  }

  @Test func ratesOutsideTheRangeAreRefusedAndCounted() throws {
    let call = try VirtualCall()
    #expect(call.speak([1, 2, 3], rate: 4_000) == 0)
    #expect(call.speak([1, 2, 3], rate: 96_000) == 0)
    #expect(call.counters.speech_refused == 6)
  }
}
