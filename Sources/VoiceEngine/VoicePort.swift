import CAudioDevice
import CVoiceCore
import CVoiceDSP

/// The application's side of a core's queues: packets and states in, outputs out.
///
/// `@unchecked Sendable`: the C side is written for two threads, the device's and the application's;
/// everything here is called from the application's one executor, except the snapshots, which any
/// thread may read.
final class VoicePort: @unchecked Sendable {
  /// Packets and events fetched with one call.
  private static let batch = 16

  let pointer: OpaquePointer
  let wakeDescriptor: Int32
  private let cancelsEcho: Bool
  private let weights: OpaquePointer?
  private let packets: UnsafeMutableBufferPointer<vd_packet>
  private let events: UnsafeMutableBufferPointer<vc_event>

  init(configuration: VoiceDeviceConfiguration) throws(AudioError) {
    let weights = try Self.loadWeights(configuration.detectorWeights)
    var config = vc_config_default()
    config.vad_weights = weights
    config.cancels_echo = UInt8(configuration.canceller)
    config.suppresses_noise = configuration.suppressesNoise ? 1 : 0
    config.finds_latency = configuration.findsHiddenLatency ? 1 : 0
    config.half_duplex = configuration.duplex.raw
    let wake = ad_wake_create()
    var port: OpaquePointer?
    let result = wake < 0 ? wake : vc_port_create(&port, &config)
    guard result == 0, let port else {
      ad_wake_destroy(wake)
      vd_vad_weights_release(weights)
      throw AudioError(
        code: .coreFailed,
        message: "The voice core could not be made (error \(-result)). Free some memory and try"
          + " again.")
    }
    self.weights = weights
    self.pointer = port
    self.wakeDescriptor = wake
    self.cancelsEcho = configuration.cancelsEcho
    self.packets = .allocate(capacity: Self.batch)
    self.events = .allocate(capacity: Self.batch)
    vc_port_set_muted(port, configuration.isMuted ? 1 : 0)
  }

  deinit {
    vc_port_destroy(pointer)
    vd_vad_weights_release(weights)
    ad_wake_destroy(wakeDescriptor)
    packets.deallocate()
    events.deallocate()
  }

  private static func loadWeights(_ path: String?) throws(AudioError) -> OpaquePointer? {
    guard let path else { return nil }
    var weights: OpaquePointer?
    var sentence = [CChar](repeating: 0, count: 512)
    let result = vd_vad_weights_load(&weights, path, &sentence, sentence.count)
    guard result == 0 else {
      throw AudioError(
        code: .coreFailed,
        message: text(sentence) + " Run `make setup` to fetch the models again.")
    }
    return weights
  }

  /// Whether ``drain(lostReason:_:)`` has something to hand out.
  var hasOutput: Bool {
    vc_port_has_output(pointer) != 0
  }

  /// - Parameter lostReason: asked for by the kind of the event, once the device reports itself or a
  ///   side of it lost.
  func drain(lostReason: (_ kind: Int) -> String, _ body: (VoiceDeviceOutput) -> Void) {
    // Cleared first: what is queued meanwhile makes it readable again.
    ad_wake_clear(wakeDescriptor)
    // Bounded by what the queues hold, so that a fast device cannot keep its reader for ever.
    for _ in 0..<(Int(VC_PORT_UPLINK_PACKETS) / Self.batch) {
      let count = vc_port_take_packets(pointer, packets.baseAddress, Self.batch)
      for packet in packets.prefix(count) { body(.packet(SpeechPacket(packet))) }
      if count < Self.batch { break }
    }
    for _ in 0..<(Int(VC_PORT_EVENTS) / Self.batch) {
      let count = vc_port_take_events(pointer, events.baseAddress, Self.batch)
      for event in events.prefix(count) {
        if let output = VoiceDeviceOutput(event, lostReason: lostReason) { body(output) }
      }
      if count < Self.batch { break }
    }
  }

  func receive(_ packet: SpeechPacket) -> Bool {
    guard packet.payload.count <= Int(VD_PACKET_PAYLOAD_MAX) else { return false }
    var raw = vd_packet()
    raw.generation = packet.generation
    raw.sequence = packet.sequence
    raw.timestamp = packet.timestamp
    raw.participant = packet.participant
    raw.kind = packet.kind.rawValue
    raw.bytes = UInt16(packet.payload.count)
    withUnsafeMutableBytes(of: &raw.payload) { $0.copyBytes(from: packet.payload) }
    return vc_port_send(pointer, &raw) != 0
  }

  func flush(below generation: UInt32) {
    vc_port_flush(pointer, generation)
  }

  func release() {
    vc_port_release(pointer)
  }

  var isMuted: Bool {
    vc_port_is_muted(pointer) != 0
  }

  func setMuted(_ muted: Bool) {
    vc_port_set_muted(pointer, muted ? 1 : 0)
  }

  /// How the agent is kept from hearing itself now.
  var echo: DeviceStatus.Echo {
    var playout = vc_playout()
    vc_port_playout(pointer, &playout)
    return playout.half_duplex != 0 ? .halfDuplex : cancelsEcho ? .cancelling : .off
  }

  var playout: PlayoutSnapshot {
    var playout = vc_playout()
    vc_port_playout(pointer, &playout)
    return PlayoutSnapshot(playout)
  }

  var counters: DeviceCounters {
    var counters = vc_counters()
    var dropped: UInt64 = 0
    vc_port_counters(pointer, &counters, &dropped)
    return DeviceCounters(counters, droppedOutputs: dropped)
  }
}

extension VoiceDeviceConfiguration {
  /// Only our own canceller can show what it does; it holds everything back until then, so where a
  /// person is to be heard from the first word the library's is used.
  fileprivate var canceller: Int {
    guard cancelsEcho else { return VC_CANCELS_NOTHING }
    return duplex == .automatic ? VC_CANCELS_ITSELF : VC_CANCELS_BY_LIBRARY
  }
}

extension VoiceDeviceConfiguration.Duplex {
  fileprivate var raw: UInt8 {
    switch self {
    case .automatic: UInt8(VC_HALF_DUPLEX_UNTIL_SHOWN)
    case .half: UInt8(VC_HALF_DUPLEX_ALWAYS)
    case .full: UInt8(VC_HALF_DUPLEX_NEVER)
    }
  }
}

/// The text of a C buffer up to its first zero.
func text(_ buffer: [CChar]) -> String {
  String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
