import CMediaTransport
import CVoiceDSP
import Foundation
import Testing

@Suite struct PlaneTests {
  private func makePlane(calls: UInt32) throws -> OpaquePointer {
    var plane: OpaquePointer?
    var configuration = VirtualCall.configuration(calls: calls)
    try #require(mt_plane_create(&plane, &configuration) == 0)
    return try #require(plane)
  }

  private func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
    var wait = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&wait, 1, milliseconds) == 1
  }

  @Test func impossibleConfigurationsAreRefused() {
    var plane: OpaquePointer?
    for configuration in [
      mt_config(calls_max: 0, vad_weights: nil, lead_first_ms: 300, lead_ms: 400, bit_rate: 32_000),
      mt_config(
        calls_max: 9_999, vad_weights: nil, lead_first_ms: 300, lead_ms: 400, bit_rate: 32_000),
      mt_config(calls_max: 1, vad_weights: nil, lead_first_ms: 0, lead_ms: 400, bit_rate: 32_000),
      mt_config(calls_max: 1, vad_weights: nil, lead_first_ms: 500, lead_ms: 400, bit_rate: 32_000),
    ] {
      var copy = configuration
      #expect(mt_plane_create(&plane, &copy) == -EINVAL)
      #expect(plane == nil)
    }
  }

  @Test func aClosedPlaceIsFreeAfterTheNextStep() throws {
    let plane = try makePlane(calls: 2)
    defer { mt_plane_destroy(plane) }
    var one: OpaquePointer?
    var other: OpaquePointer?
    var third: OpaquePointer?
    #expect(mt_call_open(plane, &one) == 0)
    #expect(mt_call_open(plane, &other) == 0)
    #expect(mt_call_open(plane, &third) == -ENOSPC)
    mt_call_close(one)
    #expect(mt_call_open(plane, &third) == -ENOSPC, "the media thread may still look at it")
    mt_plane_step(plane, 1)
    #expect(mt_call_open(plane, &third) == 0)
    mt_call_close(nil)
  }

  @Test func callsDoNotHearEachOther() throws {
    let plane = try makePlane(calls: 3)
    defer { mt_plane_destroy(plane) }
    var calls: [OpaquePointer] = []
    for _ in 0..<3 {
      var call: OpaquePointer?
      try #require(mt_call_open(plane, &call) == 0)
      calls.append(try #require(call))
    }
    for packet in try DeviceVoice.packets(seconds: 0.5) {
      var raw = packet.raw
      #expect(mt_call_receive(calls[1], &raw) == 0)
    }
    mt_plane_step(plane, 1)
    var windows = [mt_hearing](repeating: mt_hearing(), count: 64)
    #expect(calls.map { mt_call_take_hearing($0, &windows, 64) } == [0, 15, 0])
  }

  @Test func theThreadHearsAndSpeaksAndTheDescriptorTellsSo() throws {
    let plane = try makePlane(calls: 1)
    defer { mt_plane_destroy(plane) }
    let descriptor = mt_plane_descriptor(plane)
    var opened: OpaquePointer?
    try #require(mt_call_open(plane, &opened) == 0)
    let call = try #require(opened)
    #expect(mt_plane_start(plane) == 0)
    #expect(mt_plane_start(plane) == -EALREADY)
    #expect(!isReadable(descriptor, within: 0))

    let speech = DeviceVoice.pcm16(seconds: 0.6, rate: 24_000)
    #expect(mt_call_speak(call, 1, 24_000, speech, speech.count) == speech.count)
    #expect(mt_call_speak_end(call, 1) == 0)
    for packet in try DeviceVoice.packets(seconds: 1) {
      var raw = packet.raw
      #expect(mt_call_receive(call, &raw) == 0)
    }
    var windows = [mt_hearing](repeating: mt_hearing(), count: 64)
    var packets = [vd_packet](repeating: vd_packet(), count: 64)
    var heard = 0
    var kinds: [Int] = []
    while heard < 31 || kinds.last != VD_PACKET_END {
      try #require(isReadable(descriptor, within: 60_000), "the thread is stuck")
      heard += mt_call_take_hearing(call, &windows, 64)
      let taken = mt_call_take_packets(call, &packets, 64)
      kinds += packets.prefix(taken).map { Int($0.kind) }
    }
    #expect(heard == 31)
    #expect((31...32).contains(kinds.count))
    mt_plane_stop(plane)
    #expect(!isReadable(descriptor, within: 0), "all was taken")
  }

  /// Ends when the descriptor rests, although nobody took what the closed call was to send.
  @Test(.timeLimit(.minutes(1))) func aClosedCallDoesNotKeepTheDescriptorReadable() throws {
    let plane = try makePlane(calls: 1)
    defer { mt_plane_destroy(plane) }
    let descriptor = mt_plane_descriptor(plane)
    var opened: OpaquePointer?
    try #require(mt_call_open(plane, &opened) == 0)
    let call = try #require(opened)
    #expect(mt_plane_start(plane) == 0)
    let speech = DeviceVoice.pcm16(seconds: 0.6, rate: 24_000)
    #expect(mt_call_speak(call, 1, 24_000, speech, speech.count) == speech.count)
    try #require(isReadable(descriptor, within: 60_000), "the thread is stuck")
    mt_call_close(call)
    while isReadable(descriptor, within: 10) { mt_plane_reap(plane) }
  }

  /// Ends when sixty calls found a place among eight: only if the thread gives closed ones back.
  @Test(.timeLimit(.minutes(1))) func callsComeAndGoWhileTheThreadRuns() throws {
    let plane = try makePlane(calls: 8)
    defer { mt_plane_destroy(plane) }
    #expect(mt_plane_start(plane) == 0)
    let packets = try DeviceVoice.packets(seconds: 0.2).map(\.raw)
    let speech = DeviceVoice.pcm16(seconds: 0.3, rate: 16_000)
    var open: [OpaquePointer] = []
    var opened = 0
    var round = 0
    while opened < 60 {
      round += 1
      var call: OpaquePointer?
      let isFull = mt_call_open(plane, &call) == -ENOSPC
      if !isFull {
        open.append(try #require(call))
        opened += 1
      }
      for call in open {
        var packet = packets[round % packets.count]
        packet.sequence = UInt32(round)
        packet.timestamp = UInt32(round * 960)
        #expect(mt_call_receive(call, &packet) == 0)
        _ = mt_call_speak(call, 1, 16_000, speech, speech.count)
        if round % 5 == 0 { mt_call_flush(call, UInt32(round)) }
      }
      if isFull { sched_yield() }
      if isFull || open.count > 6, !open.isEmpty {
        mt_call_close(open.remove(at: round % open.count))
      }
    }
  }
}
