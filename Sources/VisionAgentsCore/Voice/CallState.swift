public import Observation

/// Who is on a call, and who speaks; views that read it redraw as it changes.
@MainActor @Observable
public final class CallState {
  /// Everybody, this device included.
  public private(set) var participants: [CallParticipant] = []
  /// Everybody but this device: the agent, and other listeners.
  public private(set) var remoteParticipants: [CallParticipant] = []
  /// This device, once it has joined.
  public private(set) var localParticipant: CallParticipant?
  /// The one to look at among those who speak.
  public private(set) var dominantSpeaker: CallParticipant?
  /// How the agent is kept from hearing itself on this device.
  public private(set) var echo = EchoStatus.halfDuplex
  /// Whether this device's microphone and speaker are there.
  public private(set) var device = SoundDeviceState.present

  func apply(_ snapshot: CallSnapshot) {
    let roster = snapshot.roster
    if roster.participants != participants { participants = roster.participants }
    if roster.remote != remoteParticipants { remoteParticipants = roster.remote }
    if roster.local != localParticipant { localParticipant = roster.local }
    if roster.dominantSpeaker != dominantSpeaker { dominantSpeaker = roster.dominantSpeaker }
    if snapshot.device != device { device = snapshot.device }
    if snapshot.echo != echo { echo = snapshot.echo }
  }
}
