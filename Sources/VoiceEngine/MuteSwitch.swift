import Glibc

/// Whether the microphone is muted, kept in a file: a mute survives a restart of the process and of
/// the machine, and only somebody who may write that file undoes it.
///
/// The file is there while the mute holds. Its methods wait for the disk.
public struct MuteSwitch: Sendable, Hashable {
  /// The file.
  public let path: String

  /// - Parameter path: the file; its folder is made when it is needed.
  public init(path: String) {
    self.path = path
  }

  /// Whether the mute holds. When that cannot be found out, it does: a microphone that is open
  /// against somebody's will is worse than one that is closed.
  public var isOn: Bool {
    if access(path, F_OK) == 0 { return true }
    return errno != ENOENT && errno != ENOTDIR
  }

  /// Keeps the mute, or its end, for the next start.
  ///
  /// - Throws: ``AudioError`` of code `notPermitted` with the file and the reason.
  public func set(_ isOn: Bool) throws(AudioError) {
    let failed = isOn ? !create() : unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR
    guard failed else { return }
    let reason = String(cString: strerror(errno))
    throw AudioError(
      code: .notPermitted,
      message: "The microphone is \(isOn ? "muted" : "open") now, but that cannot be kept for the"
        + " next start: \(path): \(reason). Make its folder writable.")
  }

  private func create() -> Bool {
    if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      let folder = String(path[..<slash])
      if mkdir(folder, 0o700) != 0, errno != EEXIST { return false }
    }
    let file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    // On the disk before anybody is told, so that a power cut does not open the microphone.
    let isSafe = fsync(file) == 0
    close(file)
    return isSafe
  }
}
