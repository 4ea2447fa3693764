import BenchNative
import CVoiceDSP

/// What the plain loop reads of a scene and writes.
final class PlainBuffers {
  var input = plain_input()
  var output = plain_output()
  private let payloads: UnsafeMutableBufferPointer<UInt8>
  private let pointers: UnsafeMutableBufferPointer<UnsafePointer<UInt8>?>
  private let sizes: UnsafeMutableBufferPointer<Int32>
  private let microphone: UnsafeMutableBufferPointer<Float>
  private let speaker: UnsafeMutableBufferPointer<Float>
  private let made: UnsafeMutableBufferPointer<UInt8>
  private let madeSizes: UnsafeMutableBufferPointer<Int32>
  private static let stride = Int(VD_PACKET_PAYLOAD_MAX)
  /// What the core leaves out at first: the delay of canceller, suppression and band split (670) and
  /// libopus (312), up to a whole block.
  private static let skippedFrames = 3 * 480

  init(_ scene: PipelineScene, detector: OpaquePointer?) {
    let count = scene.packets.count
    payloads = .allocate(capacity: count * Self.stride)
    pointers = .allocate(capacity: count)
    sizes = .allocate(capacity: count)
    microphone = .allocate(capacity: scene.microphone.count)
    speaker = .allocate(capacity: scene.microphone.count)
    made = .allocate(capacity: (count + 1) * Self.stride)
    madeSizes = .allocate(capacity: count + 1)
    for (index, packet) in scene.packets.enumerated() {
      let slot = payloads.baseAddress! + index * Self.stride
      withUnsafeBytes(of: packet.payload) {
        slot.initialize(from: $0.bindMemory(to: UInt8.self).baseAddress!, count: Self.stride)
      }
      pointers[index] = UnsafePointer(slot)
      sizes[index] = Int32(packet.bytes)
    }
    _ = microphone.initialize(from: scene.microphone)
    speaker.initialize(repeating: 0)
    input.microphone = UnsafePointer(microphone.baseAddress)
    input.packets = UnsafePointer(pointers.baseAddress)
    input.packet_bytes = UnsafePointer(sizes.baseAddress)
    input.blocks = scene.blocks
    input.reference_delay_blocks = PipelineScene.playDelayFrames / 480
    input.skipped_frames = Self.skippedFrames
    input.detect = { vd_vad_process(OpaquePointer($0), $1) }
    input.detector = UnsafeMutableRawPointer(detector)
    output.speaker = speaker.baseAddress
    output.payloads = made.baseAddress
    output.payload_stride = Self.stride
    output.payload_bytes = madeSizes.baseAddress
  }

  deinit {
    payloads.deallocate()
    pointers.deallocate()
    sizes.deallocate()
    microphone.deallocate()
    speaker.deallocate()
    made.deallocate()
    madeSizes.deallocate()
  }

  var result: PipelineResult {
    PipelineResult(
      speaker: Array(speaker.dropLast(PipelineScene.converterFrames)),
      uplink: (0..<output.packet_count).map {
        Array(made[$0 * Self.stride..<$0 * Self.stride + Int(madeSizes[$0])])
      })
  }
}
