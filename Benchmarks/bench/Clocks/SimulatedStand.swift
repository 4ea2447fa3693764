import CAudioDevice
import CVoiceCore
import CVoiceDSP

/// A core on a simulated device with two clocks, in virtual time.
final class SimulatedStand {
  let port: OpaquePointer
  let device: OpaquePointer
  private(set) var blocks = 0
  private(set) var events = 0
  /// Progress of the newest generation, as told by events.
  private(set) var progress = vc_progress()
  private var sequence: UInt32 = 0
  private let microphone = UnsafeMutablePointer<Float>.allocate(capacity: 480)
  private let speaker = UnsafeMutablePointer<Float>.allocate(capacity: 480)
  private let fetched = UnsafeMutablePointer<vc_event>.allocate(capacity: 16)
  private let packets = UnsafeMutablePointer<vd_packet>.allocate(capacity: 16)

  init(_ config: vc_config, room: ad_simulated_config) throws {
    var config = config
    var room = room
    var port: OpaquePointer?
    var device: OpaquePointer?
    guard vc_port_create(&port, &config) == 0, let port else {
      throw BenchFailure("The core could not be made.")
    }
    guard ad_simulated_create(&device, &room, port) == 0, let device else {
      vc_port_destroy(port)
      throw BenchFailure("The simulated device refuses its configuration.")
    }
    self.port = port
    self.device = device
  }

  deinit {
    ad_simulated_destroy(device)
    vc_port_destroy(port)
    microphone.deallocate()
    speaker.deallocate()
    fetched.deallocate()
    packets.deallocate()
  }

  /// Lets 10 ms pass. The bodies see what the room heard and what goes up.
  func step(
    nearEnd: UnsafePointer<Float>? = nil, heard: (UnsafeMutablePointer<Float>) -> Void = { _ in },
    sent: (inout vd_packet) -> Void = { _ in }
  ) {
    _ = ad_simulated_step(device, nearEnd, microphone, speaker)
    blocks += 1
    heard(speaker)
    while true {
      let count = vc_port_take_packets(port, packets, 16)
      for index in 0..<count { sent(&packets[index]) }
      if count < 16 { break }
    }
    while true {
      let count = vc_port_take_events(port, fetched, 16)
      events += count
      for index in 0..<count where fetched[index].kind == UInt32(VC_EVENT_PLAYED) {
        progress = fetched[index].progress
      }
      if count < 16 { break }
    }
  }

  /// Sends a generation of `count` packets of plain samples, 10 ms each, and its end.
  func speak(generation: UInt32, packets count: Int) {
    for index in 0...count {
      var packet = vd_packet()
      packet.generation = generation
      packet.sequence = sequence
      sequence &+= 1
      packet.kind = UInt8(index < count ? VD_PACKET_PCM16 : VD_PACKET_END)
      packet.bytes = index < count ? 960 : 0
      withUnsafeMutableBytes(of: &packet.payload) { payload in
        for byte in stride(from: 1, to: Int(packet.bytes), by: 2) { payload[byte] = 0x20 }
      }
      _ = vc_port_send(port, &packet)
    }
  }

  var playout: vc_playout {
    var playout = vc_playout()
    vc_port_playout(port, &playout)
    return playout
  }

  var truth: ad_simulated_truth {
    var truth = ad_simulated_truth()
    ad_simulated_know(device, &truth)
    return truth
  }

  /// By how many milliseconds the core errs about when the next sample written is heard.
  var clockError: Double {
    let playout = playout
    // The converter still holds half its filter ahead of that sample.
    let said = Double(playout.now_frame) + Double(playout.delay_frames) - Double(VD_ASRC_TAPS / 2)
    return abs(said - truth.next_heard_frame) / 48
  }
}
