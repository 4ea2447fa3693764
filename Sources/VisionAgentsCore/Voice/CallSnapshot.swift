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
  /// Nothing of the microphone goes out until the wake word is said.
  var isAsleep = false
  /// What is to be said to wake the device; empty without a wake word.
  var wakePhrase = ""
  var failure: (any Error)?
}
