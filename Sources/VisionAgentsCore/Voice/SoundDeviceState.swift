/// Whether this device's microphone and speaker are there.
public enum SoundDeviceState: Sendable, Hashable {
  case present
  /// Gone in the middle of the call, which goes on; the device is used again as soon as it is back.
  case lost(reason: String)
}
