import BenchNative
import CVoiceCore
import CVoiceDSP

/// The scene through `vc_core_step`, block by block.
struct CoreRun {
  let result: PipelineResult
  /// CPU seconds of the steps alone.
  let seconds: Double
  /// Of creation and steps; zero unless counted.
  let creation: call_counts
  let steps: call_counts

  init(
    _ scene: PipelineScene, weights: OpaquePointer?, cancelsEcho: Bool = true, counts: Bool = false,
    isTwice: Bool = false
  ) throws {
    var config = vc_config_default()
    config.vad_weights = weights
    config.cancels_echo = cancelsEcho ? 1 : 0
    config.finds_latency = 0  // The reference believes the device.
    config.half_duplex = 0  // The reference has no gate; the microphone always passes here.
    config.yields = 0
    config.bit_rate = PipelineScene.bitRate
    config.expected_loss_pct = PipelineScene.lossPct
    if counts { call_counter_start() }
    var core: OpaquePointer?
    guard vc_core_create(&core, &config) == 0, let core else {
      throw BenchFailure("The core could not be made.")
    }
    creation = counts ? call_counter_stop() : call_counts()
    defer { vc_core_destroy(core) }

    // The negative control: a second core does the same work for nothing.
    var shadow: OpaquePointer?
    if isTwice, vc_core_create(&shadow, &config) != 0 {
      throw BenchFailure("The second core could not be made.")
    }
    defer { vc_core_destroy(shadow) }

    let output = UnsafeMutablePointer<vc_output>.allocate(capacity: 1)
    defer { output.deallocate() }
    var speaker = [Float](repeating: 0, count: scene.microphone.count)
    var kept = [vd_packet](repeating: vd_packet(), count: scene.packets.count + 1)
    var keptCount = 0
    var spent = 0.0
    var counted = call_counts()
    let payloads = MemoryLayout<vc_output>.offset(of: \.packets)!
    let samples = MemoryLayout<vc_output>.offset(of: \.speaker)!
    scene.microphone.withUnsafeBufferPointer { microphone in
      scene.packets.withUnsafeBufferPointer { packets in
        speaker.withUnsafeMutableBufferPointer { speaker in
          kept.withUnsafeMutableBufferPointer { kept in
            var input = vc_input()
            var sent = 0
            if counts { call_counter_start() }
            let begun = Machine.threadSeconds
            for block in 0..<scene.blocks {
              // Eight packets ahead, as the router sends.
              let ahead = min(packets.count, block / 2 + 8)
              input.microphone = microphone.baseAddress! + block * 480
              input.packets = packets.baseAddress! + sent
              input.packet_count = ahead - sent
              sent = ahead
              input.timing.capture_frames = UInt64(block * 480)
              input.timing.play_delay_frames = UInt32(
                PipelineScene.playDelayFrames - PipelineScene.converterFrames)
              if let shadow { vc_core_step(shadow, &input, output) }
              vc_core_step(core, &input, output)
              let raw = UnsafeRawPointer(output)
              (speaker.baseAddress! + block * 480).update(
                from: (raw + samples).assumingMemoryBound(to: Float.self), count: 480)
              (kept.baseAddress! + keptCount).update(
                from: (raw + payloads).assumingMemoryBound(to: vd_packet.self),
                count: output.pointee.packet_count)
              keptCount += output.pointee.packet_count
            }
            spent = Machine.threadSeconds - begun
            if counts { counted = call_counter_stop() }
          }
        }
      }
    }
    seconds = spent
    steps = counted
    result = PipelineResult(
      speaker: Array(speaker.dropFirst(PipelineScene.converterFrames)),
      uplink: kept.prefix(keptCount).map { packet in
        withUnsafeBytes(of: packet.payload) { Array($0.prefix(Int(packet.bytes))) }
      })
  }
}
