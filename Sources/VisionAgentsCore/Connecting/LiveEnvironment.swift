import Foundation
public import Networking
public import VoiceEngine

extension VisionAgents.Environment {
  /// The process's own: one event loop, the network and ALSA; made when first used.
  public static let live = live(device: liveDevice)

  /// Real time, the real network and a sound device opened as `device` says.
  ///
  /// - Parameter runtime: the loop to run on; nil makes one.
  public static func live(
    device: VoiceDeviceConfiguration, runtime: LoopRuntime? = nil
  ) -> VisionAgents.Environment {
    let runtime = runtime ?? LoopRuntime()
    return VisionAgents.Environment(
      runtime: runtime, transport: LoopTransport(runtime: runtime),
      openDevice: {
        try await DeviceThread.run { open(device) }.get()
      },
      closeDevice: { device in
        await DeviceThread.run { device.stop() }
      })
  }

  private static func open(
    _ configuration: VoiceDeviceConfiguration
  ) -> Result<any VoiceDevice, AudioError> {
    Result { () throws(AudioError) in
      let engine = try VoiceEngine(configuration: configuration)
      try engine.start()
      return engine
    }
  }

  /// The first card with both directions, and the speech detector's weights where they are.
  private static var liveDevice: VoiceDeviceConfiguration {
    var configuration = VoiceDeviceConfiguration()
    configuration.detectorWeights = DetectorWeights.path
    return configuration
  }
}
