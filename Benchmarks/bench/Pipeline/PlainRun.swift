import BenchNative
import CVoiceDSP

/// The scene through the plain loop over the same libraries.
struct PlainRun {
  let result: PipelineResult
  /// CPU seconds of the loop alone.
  let seconds: Double

  init(_ scene: PipelineScene, weights: OpaquePointer?) throws {
    let plain = try PlainPipeline(weights: weights)
    let buffers = PlainBuffers(scene, detector: plain.detector)
    let begun = Machine.threadSeconds
    plain_pipeline_run(plain.pipeline, &buffers.input, &buffers.output)
    seconds = Machine.threadSeconds - begun
    result = buffers.result
  }

  /// CPU seconds of `blocks` blocks on the room, those before `measuredFrom` left out.
  static func liveSeconds(
    _ scene: PipelineScene, weights: OpaquePointer?, blocks: Int, measuredFrom: Int
  ) throws -> Double {
    let plain = try PlainPipeline(weights: weights)
    let buffers = PlainBuffers(scene, detector: plain.detector)
    buffers.input.blocks = blocks
    var spent = 0.0
    let result = plain_device_run(
      LiveRoom.device, plain.pipeline, &buffers.input, measuredFrom, &buffers.output, &spent)
    guard result == 0 else {
      throw BenchFailure("The plain loop lost the device (error \(-result)).")
    }
    return spent
  }
}

/// The plain loop's state and the detector that both sides share.
private final class PlainPipeline {
  let pipeline: OpaquePointer
  let detector: OpaquePointer

  init(weights: OpaquePointer?) throws {
    var pipeline: OpaquePointer?
    var detector: OpaquePointer?
    guard plain_pipeline_create(&pipeline, PipelineScene.bitRate, PipelineScene.lossPct) == 0,
      vd_vad_create(&detector, weights) == 0, let pipeline, let detector
    else { throw BenchFailure("The plain pipeline could not be made.") }
    self.pipeline = pipeline
    self.detector = detector
  }

  deinit {
    plain_pipeline_destroy(pipeline)
    vd_vad_destroy(detector)
  }
}
