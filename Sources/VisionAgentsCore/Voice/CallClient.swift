/// An app's own hold on this device's sound, shared by every call.
///
/// Hand it over with ``VisionAgents/use(_:)-(CallClient)``, and a `VoiceSession` opens the microphone
/// and the speaker through it.
public final class CallClient: Sendable {
  public let user: User
  let environment: VisionAgents.Environment

  public init(user: User, environment: VisionAgents.Environment) {
    self.user = user
    self.environment = environment
  }
}
