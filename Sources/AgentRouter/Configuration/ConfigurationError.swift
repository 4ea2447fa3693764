/// A mistake in `router.yaml`, with its place.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
  public var file: String
  /// Counted from 1; 0 when the file as a whole is meant.
  public var line: Int
  /// Counted from 1; 0 when the file as a whole is meant.
  public var column: Int
  /// The path of the key, such as `agents[0].turn.silence_ms`; empty at the top.
  public var key: String
  /// What is wrong and what would be right.
  public var message: String

  public var description: String {
    let place = line > 0 ? "\(file):\(line):\(column)" : file
    return key.isEmpty ? "\(place): \(message)" : "\(place): \(key): \(message)"
  }
}
