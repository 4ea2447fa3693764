import CVoiceCore
import CVoiceDSP

/// A core on a virtual device: what is written is heard `delay` frames later, and returns to the
/// microphone as an echo.
final class SteppedCore {
  /// By which the drift converter delays what is written.
  static let converterFrames = Int(VD_ASRC_TAPS) / 2

  private let core: OpaquePointer
  private let output: UnsafeMutablePointer<vc_output>
  private let playDelay: Int
  private let echoGain: Float
  private let echoDelay: Int
  /// By the capture frame at which it is heard.
  private(set) var air: [Float] = []
  private(set) var written: [Float] = []
  private(set) var uplink: [vd_packet] = []
  private(set) var events: [vc_event] = []
  private(set) var captureFrames = 0
  var flushBelow: UInt32 = 0
  var isMuted = false

  init(
    playDelay: Int = 1_440, echoGain: Float = 0, echoDelay: Int = 96,
    configure: (inout vc_config) -> Void = { _ in }
  ) throws {
    var config = vc_config_default()
    configure(&config)
    var core: OpaquePointer?
    guard vc_core_create(&core, &config) == 0, let core else { throw CoreMissing() }
    self.core = core
    self.playDelay = playDelay
    self.echoGain = echoGain
    self.echoDelay = echoDelay
    output = .allocate(capacity: 1)
    air = [Float](repeating: 0, count: 480 + playDelay)
  }

  deinit {
    vc_core_destroy(core)
    output.deallocate()
  }

  func step(near: [Float]? = nil, packets: [vd_packet] = []) {
    var microphone = near ?? [Float](repeating: 0, count: 480)
    for index in 0..<480 {
      let from = captureFrames + index - echoDelay
      if from >= 0 { microphone[index] += echoGain * air[from] }
    }
    microphone.withUnsafeBufferPointer { microphone in
      packets.withUnsafeBufferPointer { packets in
        var input = vc_input()
        input.microphone = microphone.baseAddress
        input.packets = packets.baseAddress
        input.packet_count = packets.count
        input.flush_below = flushBelow
        input.muted = isMuted ? 1 : 0
        input.timing.capture_frames = UInt64(captureFrames)
        input.timing.play_delay_frames = UInt32(playDelay)
        vc_core_step(core, &input, output)
      }
    }
    let frames = output.pointee.speaker_frames
    let block = withUnsafeBytes(of: &output.pointee.speaker) {
      Array($0.bindMemory(to: Float.self).prefix(frames))
    }
    written += block
    air += block
    withUnsafeBytes(of: &output.pointee.packets) {
      uplink += $0.bindMemory(to: vd_packet.self).prefix(output.pointee.packet_count)
    }
    withUnsafeBytes(of: &output.pointee.events) {
      events += $0.bindMemory(to: vc_event.self).prefix(output.pointee.event_count)
    }
    captureFrames += 480
  }

  /// Steps through `near`, or `blocks` blocks of silence, with the packets given first.
  func run(near: [Float] = [], blocks: Int = 0, packets: [vd_packet] = []) {
    var waiting = packets[...]
    let count = near.isEmpty ? blocks : near.count / 480
    for block in 0..<count {
      let burst = Array(waiting.prefix(Int(VC_PACKETS_IN_MAX)))
      waiting = waiting.dropFirst(burst.count)
      step(near: near.isEmpty ? nil : Array(near[block * 480..<(block + 1) * 480]), packets: burst)
    }
  }

  /// Lets capture time be lost, as after an xrun.
  func loseFrames(_ frames: Int) {
    captureFrames += frames
    air += [Float](repeating: 0, count: frames)
  }

  var counters: vc_counters {
    var counters = vc_counters()
    vc_core_counters(core, &counters)
    return counters
  }

  var playout: vc_playout {
    var playout = vc_playout()
    vc_core_playout(core, &playout)
    return playout
  }

  func events(_ kind: Int) -> [vc_event] {
    events.filter { $0.kind == UInt32(kind) }
  }
}
