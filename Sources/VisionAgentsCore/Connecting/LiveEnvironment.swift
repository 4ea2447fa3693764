import Foundation
public import Networking
public import VoiceEngine

extension VisionAgents.Environment {
  /// The process's own: one event loop, the network and ALSA; made when first used.
  public static let live = live(device: liveDevice)

  /// Real time, the real network and a sound device opened as `device` says.
  ///
  /// - Parameters:
  ///   - runtime: the loop to run on; nil makes one.
  ///   - system: where the sound cards are listed.
  ///   - pin: the certificate of the router this device was paired with; nil trusts the system's
  ///     authorities.
  ///   - wakeWordProgram: the path of `voice-wake`; nil is where set-up puts it.
  public static func live(
    device: VoiceDeviceConfiguration, runtime: LoopRuntime? = nil, system: SoundSystem = .machine,
    pin: CertificateFingerprint? = nil, wakeWordProgram: String? = nil
  ) -> VisionAgents.Environment {
    let runtime = runtime ?? LoopRuntime()
    return VisionAgents.Environment(
      runtime: runtime, transport: LoopTransport(runtime: runtime, pin: pin),
      openDevice: {
        try await DeviceThread.run { open(device, system) }.get()
      },
      closeDevice: { device in
        await DeviceThread.run { device.stop() }
      },
      suspendDevice: { device in
        await DeviceThread.run { device.stop() }
      },
      resumeDevice: { device in
        try await DeviceThread.run { resume(device) }.get()
      },
      cardChanges: { onChange in
        CardWatch(runtime: runtime, system: system, onChange: onChange).start()
      },
      keepMute: muteKeeper(device.muteSwitch),
      makeWakeWordDetector: { name in
        try await WakeWordProcess.start(
          wakeWordProgram ?? SetUpPlaces.wakeWordProgram, name: name, runtime: runtime)
      })
  }

  private static func open(
    _ configuration: VoiceDeviceConfiguration, _ system: SoundSystem
  ) -> Result<any VoiceDevice, AudioError> {
    Result { () throws(AudioError) in
      let engine = try VoiceEngine(configuration: configuration, system: system)
      try engine.startOrWait()
      return engine
    }
  }

  private static func resume(_ device: any VoiceDevice) -> Result<Void, AudioError> {
    Result { () throws(AudioError) in try device.start() }
  }

  private static func muteKeeper(
    _ muteSwitch: MuteSwitch?
  ) -> (@Sendable (Bool) async throws -> Void)? {
    guard let muteSwitch else { return nil }
    return { isMuted in
      try await DeviceThread.run { keep(isMuted, in: muteSwitch) }.get()
    }
  }

  private static func keep(_ isMuted: Bool, in muteSwitch: MuteSwitch) -> Result<Void, AudioError> {
    Result { () throws(AudioError) in try muteSwitch.set(isMuted) }
  }

  /// The first card with both directions, and the speech detector's weights where they are.
  private static var liveDevice: VoiceDeviceConfiguration {
    var configuration = VoiceDeviceConfiguration()
    configuration.detectorWeights = SetUpPlaces.detectorWeights
    configuration.muteSwitch = .standard
    return configuration
  }
}
