import Foundation
import SimulatedRoomControl
import VoiceProgram

/// A machine for the program under test: folders for sysfs, ALSA cards that are simulated rooms.
struct SoundMachine {
  let place: TemporaryPlace
  let environment: [String: String]

  /// - Parameters:
  ///   - mixer: the model of the cards' knobs.
  ///   - noise: of the rooms, in dBFS.
  ///   - isStill: their clocks stand still.
  ///   - echo: by how much it is softer than the speaker, in dB; 200 is none.
  ///   - hidden: latency that they hide, in ms.
  init(
    mixer: String = "speakerphone", noise: Int = -70, isStill: Bool = false, echo: Int = 200,
    hidden: Int = 0
  ) throws {
    place = try TemporaryPlace()
    let library = SimulatedRoomLibrary.pathBesideProgram()
    let configuration = try place.write(
      "alsa.conf",
      """
      </usr/share/alsa/alsa.conf>
      pcm_type.simroom { lib "\(library)" }
      ctl_type.simroom { lib "\(library)" }
      pcm.!hw {
        @args [ CARD DEV SUBDEV ]
        @args.CARD { type string default "Room" }
        @args.DEV { type integer default 0 }
        @args.SUBDEV { type integer default -1 }
        type simroom
        room $CARD
        noise_dbfs \(noise)
        erl_db \(echo)
        delay_ms 1.5
        hidden_latency_ms \(hidden)
        clock "\(isStill ? "manual" : "real")"
      }
      ctl.!hw {
        @args [ CARD ]
        @args.CARD { type string default "Room" }
        type simroom
        room $CARD
        model "\(mixer)"
      }

      """)
    for folder in ["sys/class/sound", "snd"] {
      try FileManager.default.createDirectory(
        at: place.file(folder), withIntermediateDirectories: true)
    }
    environment = [
      "ALSA_CONFIG_PATH": configuration.path, "VOICE_SYSFS": place.file("sys").path,
      "VOICE_NODES": place.file("snd").path, "VOICE_DATA": place.file("data").path,
    ]
  }

  /// Plugs a card in: its identifier and both directions.
  func plug(_ id: String, index: Int = 0) throws {
    let card = "sys/class/sound/card\(index)"
    try FileManager.default.createDirectory(
      at: place.file(card), withIntermediateDirectories: true)
    try place.write("\(card)/id", id + "\n")
    for pcm in ["D0c", "D0p"] { try place.write("sys/class/sound/pcmC\(index)\(pcm)", "") }
    try place.write("snd/controlC\(index)", "")
  }

  func unplug(index: Int = 0) throws {
    for name in ["card\(index)", "pcmC\(index)D0c", "pcmC\(index)D0p"] {
      try FileManager.default.removeItem(at: place.file("sys/class/sound/\(name)"))
    }
    try FileManager.default.removeItem(at: place.file("snd/controlC\(index)"))
  }

  func run(_ arguments: [String]) async throws -> VoiceProcess.Ending {
    try await VoiceProcess.start(arguments, environment: environment, limit: .seconds(60)).ending()
  }
}
