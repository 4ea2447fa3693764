/// Why a device could not be used, and what to do.
public struct AudioError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The cause.
  public enum Code: String, Sendable, Hashable {
    /// There is no such device, or none at all.
    case noDevice = "no_device"
    /// Another program holds the device.
    case busy
    /// The user may not open the device.
    case notPermitted = "not_permitted"
    /// The device has no format, rate or channel count that the engine can use.
    case unsupported
    /// The device was there and is gone.
    case lost
    /// The voice core could not be made: memory, or a file of weights.
    case coreFailed = "core_failed"
    /// The recording could not be made or ended early: its folder, the disk, a permission.
    case recordingFailed = "recording_failed"
  }

  /// The cause.
  public let code: Code
  /// A sentence: what happened, with which device, and what to do.
  public let message: String

  public init(code: Code, message: String) {
    self.code = code
    self.message = message
  }

  public var description: String { message }
}
