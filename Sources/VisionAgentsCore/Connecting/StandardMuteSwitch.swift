import Foundation
public import VoiceEngine

extension MuteSwitch {
  /// The one of this user: the file `muted` in `VOICE_DATA`, else in the user's folder for data. It is
  /// the one that `voice mute` turns.
  public static var standard: MuteSwitch {
    let variables = ProcessInfo.processInfo.environment
    let folder: String
    if let data = variables["VOICE_DATA"], !data.isEmpty {
      folder = data
    } else if let data = variables["XDG_DATA_HOME"], !data.isEmpty {
      folder = data + "/voice"
    } else {
      folder = NSHomeDirectory() + "/.local/share/voice"
    }
    return MuteSwitch(path: folder + "/muted")
  }
}
