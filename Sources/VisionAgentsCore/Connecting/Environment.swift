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
    /// Lets go of a device that was lost and keeps its core; must not block the runtime's executor.
    public let suspendDevice: @Sendable (any VoiceDevice) async -> Void
    /// Opens a suspended device again: the same hardware, the same core. It throws ``AudioError`` and
    /// must not block the runtime's executor.
    public let resumeDevice: @Sendable (any VoiceDevice) async throws -> Void
    /// Calls back on the runtime's executor whenever a sound card may have come or gone, until the
    /// returned action is cancelled; nil when nothing tells.
    public let cardChanges: (@Sendable (@escaping @Sendable () -> Void) -> ScheduledAction)?
    /// Keeps whether the microphone is muted for the next start of the app; nil keeps nothing. It must
    /// not block the runtime's executor.
    public let keepMute: (@Sendable (Bool) async throws -> Void)?
    /// Starts the detector of a wake word by its name; nil when there is none. It throws what an app
    /// shows, and must not block the runtime's executor.
    public let makeWakeWordDetector: (@Sendable (String) async throws -> any WakeWordDetector)?
    /// Where the app's own closures run (tools, token providers); nil is the global pool, so that
    /// one that blocks holds up nothing of ours.
    public let appExecutor: (any TaskExecutor)?

    public init(
      runtime: any Runtime, transport: any Transport,
      openDevice: @escaping @Sendable () async throws -> any VoiceDevice,
      closeDevice: @escaping @Sendable (any VoiceDevice) async -> Void,
      suspendDevice: @escaping @Sendable (any VoiceDevice) async -> Void = { $0.stop() },
      resumeDevice: @escaping @Sendable (any VoiceDevice) async throws -> Void = { try $0.start() },
      cardChanges: (@Sendable (@escaping @Sendable () -> Void) -> ScheduledAction)? = nil,
      keepMute: (@Sendable (Bool) async throws -> Void)? = nil,
      makeWakeWordDetector: (@Sendable (String) async throws -> any WakeWordDetector)? = nil,
      appExecutor: (any TaskExecutor)? = nil
    ) {
      self.runtime = runtime
      self.transport = transport
      self.openDevice = openDevice
      self.closeDevice = closeDevice
      self.suspendDevice = suspendDevice
      self.resumeDevice = resumeDevice
      self.cardChanges = cardChanges
      self.keepMute = keepMute
      self.makeWakeWordDetector = makeWakeWordDetector
      self.appExecutor = appExecutor
    }
  }
}
