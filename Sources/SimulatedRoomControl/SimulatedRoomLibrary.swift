import Glibc

/// The simulated room's shared library: an ALSA plugin and its control functions in one file.
///
/// alsa-lib loads the same file by the path in ``SimulatedRoomConfiguration``; one path is one
/// library, so both see the same rooms. Thread role: any thread but a realtime one.
public struct SimulatedRoomLibrary: Sendable {
  /// The file that was loaded.
  public let path: String
  let functions: SimulatedRoomFunctions

  /// Loads the library.
  /// - Parameter path: the file; beside the running program by default.
  /// - Throws: ``SimulatedRoomError`` when the file or one of its functions is missing.
  public init(path: String? = nil) throws(SimulatedRoomError) {
    let path = path ?? Self.pathBesideProgram()
    guard let handle = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
      throw .libraryMissing(path: path, reason: String(cString: dlerror()))
    }
    self.path = path
    functions = try SimulatedRoomFunctions(handle: handle, path: path)
  }

  /// `libSimulatedRoom.so` in the directory of the running program.
  public static func pathBesideProgram() -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let length = readlink("/proc/self/exe", &buffer, buffer.count)
    let program = String(decoding: buffer.prefix(max(0, length)).map(UInt8.init), as: UTF8.self)
    let directory = program[..<(program.lastIndex(of: "/") ?? program.endIndex)]
    return "\(directory)/libSimulatedRoom.so"
  }

  /// Finds or makes a room.
  /// - Parameter name: as in the ALSA configuration's `room` field.
  public func room(named name: String = "default") throws(SimulatedRoomError) -> SimulatedRoom {
    guard let handle = functions.room(name) else { throw .tooManyRooms(name: name) }
    return SimulatedRoom(name: name, handle: handle, functions: functions)
  }
}
