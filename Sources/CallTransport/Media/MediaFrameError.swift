/// Why bytes are not a media frame, or why a frame cannot be written.
public enum MediaFrameError: Error, Sendable, Equatable, CustomStringConvertible {
  case tooShort(bytes: Int)
  case tooLong(bytes: Int)
  case unknownVersion(UInt8)
  case unknownKind(UInt8)
  /// An end marker carries nothing; PCM comes in whole samples; speech is never empty.
  case payloadNotAllowed(kind: MediaFrame.Kind, bytes: Int)

  public var description: String {
    switch self {
    case .tooShort(let bytes):
      "a media frame of \(bytes) bytes is shorter than its \(MediaFrame.headerBytes)-byte header"
    case .tooLong(let bytes):
      "a media frame of \(bytes) bytes is longer than the \(MediaFrame.maximumBytes) allowed"
    case .unknownVersion(let version):
      "media frame version \(version) is unknown; this side speaks \(MediaFrame.version)"
    case .unknownKind(let kind):
      "media frame kind \(kind) is unknown; the kinds are 1, 2 and 3"
    case .payloadNotAllowed(let kind, let bytes):
      "a media frame of kind \(kind) cannot carry \(bytes) bytes"
    }
  }
}
