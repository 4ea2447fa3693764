import Foundation
import SimulatedRoomControl

/// The simulated room as an ALSA device in real time, for a run of the core's audio thread and one
/// of the plain loop on the same room.
struct LiveRoom {
  static let device = "simroom"
  private let room: SimulatedRoom

  init() throws {
    let library = try SimulatedRoomLibrary()
    room = try library.room(named: "bench")
    try room.configure(
      SimulatedRoomAcoustics(echoReturnLossDB: 12, delayMS: 2, rt60MS: 0, noiseDBFS: -66))
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("bench-room-\(getpid()).conf").path
    try SimulatedRoomConfiguration(libraryPath: library.path, roomName: "bench").write(to: path)
    // Read at the process's first ALSA call, which has not been made yet.
    setenv("ALSA_CONFIG_PATH", path, 1)
  }

  /// Lets the person say the scene's microphone.
  func say(_ scene: PipelineScene, blocks: Int) throws {
    _ = try room.say(
      scene.microphone.prefix(blocks * 480).map { Int16(max(-32_768, min(32_767, $0 * 32_768))) })
  }
}
