import BenchNative
import CVoiceCore
import CVoiceDSP

/// The scene through the plain loop over the same libraries.
struct PlainRun {
  let result: PipelineResult
  /// CPU seconds of the loop alone.
  let seconds: Double

  init(_ scene: PipelineScene, weights: OpaquePointer?) throws {
    var pipeline: OpaquePointer?
    var vad: OpaquePointer?
    guard plain_pipeline_create(&pipeline, PipelineScene.bitRate, PipelineScene.lossPct) == 0,
      vd_vad_create(&vad, weights) == 0
    else { throw BenchFailure("The plain pipeline could not be made.") }
    defer {
      plain_pipeline_destroy(pipeline)
      vd_vad_destroy(vad)
    }
    let stride = Int(VD_PACKET_PAYLOAD_MAX)
    let payloads = scene.packets.map { packet in
      withUnsafeBytes(of: packet.payload) { Array($0.prefix(Int(packet.bytes))) }
    }
    let sizes = payloads.map { Int32($0.count) }
    let starts = sizes.reduce(into: [0]) { $0.append($0.last! + Int($1)) }
    let flat = payloads.flatMap { $0 }
    var speaker = [Float](repeating: 0, count: scene.microphone.count)
    var made = [UInt8](repeating: 0, count: (scene.packets.count + 1) * stride)
    var madeSizes = [Int32](repeating: 0, count: scene.packets.count + 1)
    var output = plain_output()
    var spent = 0.0
    flat.withUnsafeBufferPointer { flat in
      let pointers: [UnsafePointer<UInt8>?] = starts.dropLast().map { flat.baseAddress! + $0 }
      scene.microphone.withUnsafeBufferPointer { microphone in
        sizes.withUnsafeBufferPointer { sizes in
          pointers.withUnsafeBufferPointer { pointers in
            speaker.withUnsafeMutableBufferPointer { speaker in
              made.withUnsafeMutableBufferPointer { made in
                madeSizes.withUnsafeMutableBufferPointer { madeSizes in
                  var input = plain_input(
                    microphone: microphone.baseAddress, packets: pointers.baseAddress,
                    packet_bytes: sizes.baseAddress, blocks: scene.blocks,
                    reference_delay_blocks: PipelineScene.playDelayFrames / 480,
                    skipped_frames: Self.skippedFrames,
                    detect: { vd_vad_process(OpaquePointer($0), $1) },
                    detector: UnsafeMutableRawPointer(vad))
                  output.speaker = speaker.baseAddress
                  output.payloads = made.baseAddress
                  output.payload_stride = stride
                  output.payload_bytes = madeSizes.baseAddress
                  let begun = Machine.threadSeconds
                  plain_pipeline_run(pipeline, &input, &output)
                  spent = Machine.threadSeconds - begun
                }
              }
            }
          }
        }
      }
    }
    seconds = spent
    result = PipelineResult(
      speaker: Array(speaker.dropLast(PipelineScene.converterFrames)),
      uplink: (0..<output.packet_count).map {
        Array(made[$0 * stride..<$0 * stride + Int(madeSizes[$0])])
      })
  }

  /// What the core leaves out at first: the delay of canceller, suppression and band split (670) and
  /// libopus (312), up to a whole block.
  private static let skippedFrames = 3 * 480
}
