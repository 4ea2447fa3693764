import CMediaTransport
import CVoiceDSP
import Foundation
import Testing

/// One call on a plane that has no thread: the test is its clock.
final class VirtualCall {
  let plane: OpaquePointer
  let call: OpaquePointer
  private(set) var milliseconds = 0

  static func configuration(calls: UInt32 = 4) -> mt_config {
    mt_config(
      calls_max: calls, vad_weights: nil, lead_first_ms: 300, lead_ms: 400, bit_rate: 32_000)
  }

  init() throws {
    var plane: OpaquePointer?
    var configuration = Self.configuration()
    try #require(mt_plane_create(&plane, &configuration) == 0)
    self.plane = try #require(plane)
    var call: OpaquePointer?
    try #require(mt_call_open(plane, &call) == 0)
    self.call = try #require(call)
  }

  deinit { mt_plane_destroy(plane) }

  var counters: mt_counters { mt_call_counters(call) }

  func step() { mt_plane_step(plane, Int64(1 + milliseconds) * 1_000_000) }

  func advance(to milliseconds: Int) {
    self.milliseconds = milliseconds
    step()
  }

  /// Steps every millisecond, as far as `end`; returns all packets that came out.
  func run(until end: Int) -> [Packet] {
    var result: [Packet] = []
    while milliseconds < end {
      advance(to: milliseconds + 1)
      result += takePackets()
    }
    return result
  }

  @discardableResult
  func receive(_ packet: Packet) -> Int32 {
    var raw = packet.raw
    return mt_call_receive(call, &raw)
  }

  func takeHearing(atMost count: Int = 64) -> [mt_hearing] {
    [mt_hearing](unsafeUninitializedCapacity: count) { buffer, used in
      used = mt_call_take_hearing(call, buffer.baseAddress, count)
    }
  }

  /// Hands packets over, each followed by a step, and returns all that was heard.
  func hear(_ packets: [Packet]) -> [mt_hearing] {
    packets.flatMap { packet in
      receive(packet)
      step()
      return takeHearing()
    }
  }

  func takePackets(atMost count: Int = 64) -> [Packet] {
    [vd_packet](unsafeUninitializedCapacity: count) { buffer, used in
      used = mt_call_take_packets(call, buffer.baseAddress, count)
    }.map(Packet.init(raw:))
  }

  @discardableResult
  func speak(_ samples: [Int16], generation: UInt32 = 1, rate: Int32 = 24_000) -> Int {
    mt_call_speak(call, generation, rate, samples, samples.count)
  }
}

/// A packet as Swift sees it.
struct Packet: Equatable {
  var generation: UInt32 = 0
  var sequence: UInt32
  var timestamp: UInt32
  var kind = VD_PACKET_OPUS
  var payload: [UInt8]
}

extension Packet {
  init(raw: vd_packet) {
    generation = raw.generation
    sequence = raw.sequence
    timestamp = raw.timestamp
    kind = Int(raw.kind)
    payload = withUnsafeBytes(of: raw.payload) { Array($0.prefix(Int(raw.bytes))) }
  }

  var raw: vd_packet {
    var result = vd_packet()
    result.generation = generation
    result.sequence = sequence
    result.timestamp = timestamp
    result.kind = UInt8(kind)
    result.bytes = UInt16(payload.count)
    withUnsafeMutableBytes(of: &result.payload) { $0.copyBytes(from: payload) }
    return result
  }
}
