import CallTransport
import Networking
import VoiceEngine

// The microphone's mute: on the device at once, on the router, and kept for the next start.
extension CallConnection {
  /// - Parameter keeps: false when it is kept already.
  func setMuted(_ isMuted: Bool, keeps: Bool = true) {
    self.isMuted = isMuted
    isMuteChosen = true
    device?.setMuted(isMuted)
    if keeps { keepMute() }
    showMute()
    guard machine.phase == .joined else { return }
    tellMuted()
    sendStatus()
  }

  /// The device was muted already when it was opened.
  func adoptMute() {
    isMuted = true
    snapshot.hasFoundMute = true
    showMute()
  }

  private func showMute() {
    snapshot.roster.localMuted(isMuted)
    publish()
  }

  /// Writes the mute down for the next start, the newest last.
  private func keepMute() {
    guard !isKeepingMute, let keep = environment.keepMute else { return }
    isKeepingMute = true
    runtime.task { await self.pumpMute(keep) }
  }

  private func pumpMute(_ keep: @Sendable (Bool) async throws -> Void) async {
    var kept: Bool?
    while kept != isMuted {
      let wanted = isMuted
      kept = wanted
      do {
        try await keep(wanted)
      } catch {
        snapshot.failure = AgentsError.audio("\(error)")
        publish()
      }
    }
    isKeepingMute = false
  }

  func tellMuted() {
    toldMuted = isMuted
    signal(CallFrames.mute(isMuted))
  }
}
