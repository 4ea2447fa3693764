public import Networking
public import VoiceEngine

extension VisionAgents {
  /// Everything the SDK takes from outside: time, chance, network and sound.
  ///
  /// An app needs none of it, ``live`` is the default. A simulation supplies its own, and then
  /// nothing here touches a clock, a socket or a device of the machine.
  public struct Environment: Sendable {
    public let runtime: any Runtime
    public let transport: any Transport
    /// Opens the microphone and the speaker and lets the sound flow. It throws ``AudioError`` and
    /// must not block the runtime's executor.
    public let openDevice: @Sendable () async throws -> any VoiceDevice
    /// Stops and closes a device; must not block the runtime's executor.
    public let closeDevice: @Sendable (any VoiceDevice) async -> Void
    /// Where the app's own closures run (tools, token providers); nil is the global pool, so that
    /// one that blocks holds up nothing of ours.
    public let appExecutor: (any TaskExecutor)?

    public init(
      runtime: any Runtime, transport: any Transport,
      openDevice: @escaping @Sendable () async throws -> any VoiceDevice,
      closeDevice: @escaping @Sendable (any VoiceDevice) async -> Void,
      appExecutor: (any TaskExecutor)? = nil
    ) {
      self.runtime = runtime
      self.transport = transport
      self.openDevice = openDevice
      self.closeDevice = closeDevice
      self.appExecutor = appExecutor
    }
  }
}
