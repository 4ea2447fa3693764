/// Whether this device's microphone and speaker are there.
public enum SoundDeviceState: Sendable, Hashable {
  case present
  /// Gone, wholly or one side of it, or not there yet; the call goes on, and the device is used as soon
  /// as it is there.
  case lost(reason: String)
}
