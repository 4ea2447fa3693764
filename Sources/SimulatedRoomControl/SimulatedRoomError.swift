import Glibc

/// Why the simulated room did not do what it was told.
public enum SimulatedRoomError: Error, CustomStringConvertible {
  case libraryMissing(path: String, reason: String)
  case functionMissing(name: String, path: String)
  case tooManyRooms(name: String)
  case refused(action: String, code: Int32)
  case fileNotWritten(path: String, code: Int32)

  public var description: String {
    switch self {
    case .libraryMissing(let path, let reason):
      "The simulated room's library \(path) cannot be loaded (\(reason)); build the product SimulatedRoom."
    case .functionMissing(let name, let path):
      "\(path) has no function \(name); build it anew from the same sources as this program."
    case .tooManyRooms(let name):
      "There is no space for the simulated room '\(name)'; a process holds 32 of them."
    case .refused(let action, let code):
      "The simulated room refused to \(action): \(String(cString: strerror(-code)))."
    case .fileNotWritten(let path, let code):
      "\(path) cannot be written: \(String(cString: strerror(code))); check the directory and free space."
    }
  }
}
