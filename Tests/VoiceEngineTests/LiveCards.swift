import Foundation
import SimulatedRoomControl

@testable import VoiceEngine

/// ALSA cards by any name, each a simulated room of that name.
final class LiveCards {
  let folder: SoundFolder
  let muteSwitch: MuteSwitch
  private let library: SimulatedRoomLibrary

  /// - Parameter mixer: the model of the cards' knobs.
  init(mixer model: String = "speakerphone") throws {
    folder = try SoundFolder()
    muteSwitch = MuteSwitch(path: "\(folder.root)/muted")
    library = try SimulatedRoomLibrary()
    let configuration = "\(folder.root)/alsa.conf"
    let text = """
      </usr/share/alsa/alsa.conf>
      pcm_type.simroom { lib "\(library.path)" }
      pcm.!hw {
        @args [ CARD DEV SUBDEV ]
        @args.CARD { type string default "Room" }
        @args.DEV { type integer default 0 }
        @args.SUBDEV { type integer default -1 }
        type simroom
        room $CARD
      }
      ctl_type.simroom { lib "\(library.path)" }
      ctl.!hw {
        @args [ CARD ]
        @args.CARD { type string default "Room" }
        type simroom
        room $CARD
        model "\(model)"
      }

      """
    try text.write(toFile: configuration, atomically: true, encoding: .utf8)
    setenv("ALSA_CONFIG_PATH", configuration, 1)
  }

  func room(_ name: String) throws -> SimulatedRoom { try library.room(named: name) }

  func engine(
    capture: String = "auto", playback: String = "auto", waits: Bool = false,
    recording: String? = nil, keptLevels: KeptLevels? = nil, keptLatency: KeptLatency? = nil
  ) throws -> VoiceEngine {
    var configuration = VoiceDeviceConfiguration()
    configuration.capture = capture
    configuration.playback = playback
    configuration.waitsForDevice = waits
    configuration.muteSwitch = muteSwitch
    configuration.recording = recording
    configuration.keptLevels = keptLevels
    configuration.keptLatency = keptLatency
    return try VoiceEngine(configuration: configuration, system: folder.system)
  }

  func wait(until condition: () throws -> Bool) throws {
    // The rooms' clock is real; a machine that is busy with other things may take long over it.
    for _ in 0..<120_000 {
      if try condition() { return }
      usleep(1_000)
    }
    throw LiveRoom.StoodStill()
  }
}
