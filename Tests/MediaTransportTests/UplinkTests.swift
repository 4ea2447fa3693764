import CMediaTransport
import CVoiceDSP
import Foundation
import Testing

@Suite struct UplinkTests {
  /// All samples of windows that must follow each other without a gap.
  private func joined(_ windows: [mt_hearing], sourceLocation: SourceLocation = #_sourceLocation)
    -> [Int16]
  {
    for (one, next) in zip(windows, windows.dropFirst()) {
      #expect(next.first_sample == one.first_sample + 512, sourceLocation: sourceLocation)
    }
    return windows.flatMap { window in
      withUnsafeBytes(of: window.samples) { Array($0.bindMemory(to: Int16.self)) }
    }
  }

  private func pcm16(_ samples: [Float]) -> [Int16] {
    samples.map { Int16(max(-32_768, min(32_767, $0 * 32_768))) }
  }

  @Test func whatIsHeardIsWhatADecoderMakesOfThePacketsOnTheDevicesTimeline() throws {
    let packets = try DeviceVoice.packets(seconds: 2, sequence: 7, timestamp: 96_000)
    let windows = try VirtualCall().hear(packets)
    #expect(windows.count == 32_000 / 512)
    #expect(windows.first?.first_sample == 32_000)
    #expect(windows.allSatisfy { $0.concealed == 0 })
    let heard = joined(windows)
    let isSame =
      heard == Array(pcm16(try DeviceVoice.decode(packets, rate: 16_000)).prefix(heard.count))
    #expect(isSame)
    #expect(windows.contains { $0.level > 0.5 })
    #expect(windows.contains { $0.probability > 0.5 })
  }

  @Test func theTimelineRunsOnWhenTheTimestampWraps() throws {
    let start = UInt32.max - 9_599
    let packets = try DeviceVoice.packets(seconds: 1, sequence: .max - 4, timestamp: start)
    let call = try VirtualCall()
    let windows = call.hear(packets)
    _ = joined(windows)
    #expect(windows.first?.first_sample == UInt64(start / 3))
    #expect(windows.count == 16_000 / 512)
    #expect(call.counters.packets_lost == 0)
  }

  @Test func packetsOutOfOrderAreHeardInOrder() throws {
    let packets = try DeviceVoice.packets(seconds: 1)
    var shuffled = packets
    shuffled.swapAt(10, 13)
    shuffled.swapAt(20, 21)
    let expected = joined(try VirtualCall().hear(packets))
    let call = try VirtualCall()
    let isSame = joined(call.hear(shuffled)) == expected
    #expect(isSame)
    #expect(call.counters.packets_lost == 0)
    #expect(call.counters.packets_late == 0)
  }

  @Test func aLostPacketIsMadeUpForInItsPlace() throws {
    let packets = try DeviceVoice.packets(seconds: 1)
    var holed = packets
    holed.remove(at: 20)
    let call = try VirtualCall()
    let windows = call.hear(holed)
    let heard = joined(windows)
    #expect(windows.count == 16_000 / 512)
    #expect(windows.reduce(0) { $0 + $1.concealed } == 320)
    #expect(call.counters.packets_lost == 1)
    let whole = joined(try VirtualCall().hear(packets))
    let isUntouched = heard[..<6_400] == whole[..<6_400]
    #expect(isUntouched, "nothing before it changes")
  }

  @Test func redundancyMakesUpBetterThanConcealment() throws {
    let packets = try DeviceVoice.packets(seconds: 4)
    func isLost(_ index: Int) -> Bool { index % 10 == 3 }
    let sent = try DeviceVoice.decode(packets, rate: 16_000)
    let concealed = try DeviceVoice.decode(
      packets.enumerated().map { isLost($0.offset) ? nil : $0.element }, rate: 16_000)
    let heard = joined(
      try VirtualCall().hear(packets.enumerated().filter { !isLost($0.offset) }.map(\.element)))
    /// Error power in the places of the lost packets.
    func error(_ sample: (Int) -> Float) -> Float {
      packets.indices.filter(isLost).reduce(0) { sum, packet in
        (packet * 320..<packet * 320 + 320).reduce(sum) { sum, index in
          let difference = sent[index] - sample(index)
          return sum + difference * difference
        }
      }
    }
    let ratio = error { Float(heard[$0]) / 32_768 } / error { concealed[$0] }
    #expect(ratio < 0.7, "error power over that of concealment: \(ratio)")
  }

  @Test func withoutTheLaterPacketsAMissingOneIsStillWaitedFor() throws {
    let packets = try DeviceVoice.packets(seconds: 1)
    let call = try VirtualCall()
    _ = call.hear(Array(packets[0..<10]))
    #expect(call.hear(Array(packets[11...13])).isEmpty)
    #expect(call.counters.packets_lost == 0)
    let windows = call.hear([packets[10]])
    #expect(!windows.isEmpty && windows.allSatisfy { $0.concealed == 0 })
  }

  @Test func duplicatesAndLatecomersAreCountedAndDropped() throws {
    let packets = try DeviceVoice.packets(seconds: 1)
    let call = try VirtualCall()
    let windows = call.hear(packets + [packets[49], packets[30]])
    #expect(windows.count == 16_000 / 512)
    #expect(call.counters.packets_late == 2)
    #expect(call.counters.packets_received == 52)
  }

  @Test func aGapUpToASecondIsFilledAndTheTimelineHolds() throws {
    let packets = try DeviceVoice.packets(seconds: 3)
    let call = try VirtualCall()
    let windows = call.hear(Array(packets[0..<50]) + Array(packets[99...]))
    _ = joined(windows)
    #expect(windows.last?.first_sample == UInt64(48_000 / 512 - 1) * 512)
    #expect(windows.reduce(0) { $0 + $1.concealed } == 49 * 320)
    #expect(call.counters.packets_lost == 49)
  }

  @Test func aTimelineThatStepsBackIsFollowedAndNotLeftBehind() throws {
    var packets = try DeviceVoice.packets(seconds: 2)
    // The device began its count anew, 480 ms earlier: less than a second, more than an overlap.
    for index in 50..<packets.count { packets[index].timestamp -= 24 * 960 }
    let windows = try VirtualCall().hear(packets)
    let last = try #require(windows.last)
    let end = UInt64(packets[packets.count - 1].timestamp / 3 + 320)
    #expect(last.first_sample + 512 <= end && last.first_sample + 1_024 > end)
  }

  @Test func whatOverlapsALittleIsNotHeardTwice() throws {
    var packets = try DeviceVoice.packets(seconds: 2)
    for index in 50..<packets.count { packets[index].timestamp -= 480 }
    let windows = try VirtualCall().hear(packets)
    _ = joined(windows)
    let last = try #require(windows.last)
    let end = UInt64(packets[packets.count - 1].timestamp / 3 + 320)
    #expect(last.first_sample + 512 <= end && last.first_sample + 1_024 > end)
  }

  @Test func aLongerGapIsASecondOfSilenceAndAJump() throws {
    let packets = try DeviceVoice.packets(seconds: 6)
    let call = try VirtualCall()
    let before = call.hear(Array(packets[0..<50]))
    let after = call.hear(Array(packets[200...]))
    let first = try #require(after.first)
    #expect(first.first_sample == before[before.count - 1].first_sample + 512)
    let resumed = try #require(after.dropFirst().first)
    #expect(resumed.first_sample == 200 * 320 - 16_000)
    let heard = joined(Array(after.dropFirst()))
    #expect(heard.prefix(16_000).allSatisfy { $0 == 0 })
    #expect(heard.dropFirst(16_000).contains { abs(Int($0)) > 1_000 })
  }

  @Test func capturedFramesThatTheDeviceLostLeaveAHoleOnTheTimeline() throws {
    var packets = try DeviceVoice.packets(seconds: 1)
    for index in 25..<50 { packets[index].timestamp += 300 }
    let call = try VirtualCall()
    let windows = call.hear(packets)
    _ = joined(windows)
    #expect(windows.reduce(0) { $0 + $1.concealed } == 100)
    #expect(call.counters.packets_lost == 0)
  }

  @Test func aDeviceThatBeginsAnewBeginsANewTimeline() throws {
    let call = try VirtualCall()
    _ = call.hear(try DeviceVoice.packets(seconds: 1, sequence: 9_000, timestamp: 480_000_000))
    let windows = call.hear(try DeviceVoice.packets(seconds: 1))
    #expect(windows.first?.first_sample == 160_000_000 + 31 * 512, "the window in the making")
    #expect(windows.dropFirst().first?.first_sample == 0)
    _ = joined(Array(windows.dropFirst()))
    #expect(call.counters.packets_lost == 0)
  }

  /// A device that left and joined again within its first seconds must not be deaf for as long.
  @Test func aDeviceThatBeginsAnewSoonIsHeardAgainAfterTenPackets() throws {
    let call = try VirtualCall()
    _ = call.hear(try DeviceVoice.packets(seconds: 4))
    let again = call.hear(try DeviceVoice.packets(seconds: 2))
    #expect(call.counters.packets_late == 9)
    let heard = again.filter { $0.first_sample < 2 * 16_000 }
    #expect(heard.first?.first_sample == 9 * 320)
    #expect(heard.count == (100 - 9) * 320 / 512)
  }

  @Test func latecomersAmongOthersNeverBeginATimeline() throws {
    let packets = try DeviceVoice.packets(seconds: 2)
    let call = try VirtualCall()
    // Everything comes twice, the second time a while later.
    let windows = call.hear(
      packets.indices.flatMap { $0 < 20 ? [packets[$0]] : [packets[$0], packets[$0 - 20]] })
    _ = joined(windows)
    #expect(windows.count == 2 * 16_000 / 512)
    #expect(call.counters.packets_late == 80)
  }

  @Test func aDamagedPacketIsConcealed() throws {
    var packets = try DeviceVoice.packets(seconds: 1)
    packets[25].payload = [0xFF, 0xFF, 0xFF]
    let call = try VirtualCall()
    let windows = call.hear(packets)
    _ = joined(windows)
    #expect(windows.count == 16_000 / 512)
    #expect(windows.reduce(0) { $0 + $1.concealed } == 320)
    #expect(call.counters.packets_lost == 1)
  }

  @Test func aBurstAfterAStallIsHeardWholeThoughNobodyTookForAWhile() throws {
    let packets = try DeviceVoice.packets(seconds: 5)
    let call = try VirtualCall()
    for packet in packets {
      #expect(call.receive(packet) == 0)
      call.step()
    }
    var windows: [mt_hearing] = []
    while true {
      let some = call.takeHearing(atMost: 5)
      windows += some
      call.step()
      if some.isEmpty { break }
    }
    _ = joined(windows)
    #expect(windows.count == 80_000 / 512)
    #expect(call.counters.hearing_dropped == 0)
  }

  @Test func beyondItsBoundTheReceiveRingRefusesAndCounts() throws {
    let packets = try DeviceVoice.packets(seconds: 20)
    let call = try VirtualCall()
    let results = packets.map { call.receive($0) }
    let refused = results.filter { $0 == -ENOBUFS }.count
    #expect(refused > 0)
    #expect(results.allSatisfy { $0 == 0 || $0 == -ENOBUFS })
    #expect(call.counters.receive_dropped == UInt64(refused))
    #expect(call.counters.packets_received == UInt64(1_000 - refused))
  }

  @Test func whatIsNoSpeechIsRefused() throws {
    let call = try VirtualCall()
    let empty = Packet(sequence: 0, timestamp: 0, payload: [])
    #expect(call.receive(empty) == -EINVAL)
    #expect(
      call.receive(Packet(sequence: 0, timestamp: 0, kind: VD_PACKET_PCM16, payload: [1, 2]))
        == -EINVAL)
    #expect(call.counters.receive_dropped == 2)
  }
}
