import CallTransport

/// What a `VoiceSession` and its `CallState` show, as the call's connection knows it.
struct CallSnapshot: Sendable {
  /// Grows with every change, so that an older one never replaces a newer one.
  var version = 0
  var phase = CallStateMachine.Phase.idle
  var roster = CallRoster()
  var echo = EchoStatus.halfDuplex
  /// The device was muted already when this process began.
  var hasFoundMute = false
  var device = SoundDeviceState.present
  var failure: (any Error)?
}
