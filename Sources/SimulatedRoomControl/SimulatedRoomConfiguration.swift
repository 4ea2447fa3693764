import Glibc

/// The ALSA configuration that makes a simulated room a device named `simroom`.
///
/// Write it and point `ALSA_CONFIG_PATH` at it before the process's first ALSA call.
public struct SimulatedRoomConfiguration: Sendable {
  public var libraryPath: String
  public var roomName: String
  /// The name under which ALSA programs open the room.
  public var deviceName: String

  public init(
    libraryPath: String, roomName: String = "default", deviceName: String = "simroom"
  ) {
    self.libraryPath = libraryPath
    self.roomName = roomName
    self.deviceName = deviceName
  }

  /// The file's text. The device `default` converts other rates and formats.
  public var text: String {
    """
    </usr/share/alsa/alsa.conf>
    pcm_type.simroom { lib "\(libraryPath)" }
    pcm.\(deviceName) { type simroom room "\(roomName)" }
    pcm.!default { type plug slave.pcm "\(deviceName)" }

    """
  }

  /// Writes the file.
  /// - Throws: ``SimulatedRoomError/fileNotWritten(path:code:)``.
  public func write(to path: String) throws(SimulatedRoomError) {
    guard let file = fopen(path, "w") else {
      throw .fileNotWritten(path: path, code: errno)
    }
    let written = fputs(text, file) >= 0
    guard fclose(file) == 0, written else { throw .fileNotWritten(path: path, code: errno) }
  }
}
