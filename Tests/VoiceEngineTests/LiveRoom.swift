import Foundation
import SimulatedRoomControl

@testable import VoiceEngine

/// The live engine on the ALSA plugin of the simulated room, whose clock only this object moves.
///
/// For use inside an exit test: `ALSA_CONFIG_PATH` belongs to the whole process.
final class LiveRoom {
  let room: SimulatedRoom
  let engine: VoiceEngine
  let recording: String
  /// What the engine records, when it does.
  let ownRecording: String
  private(set) var outputs: [VoiceDeviceOutput] = []

  /// - Parameters:
  ///   - device: the ALSA name that the engine opens.
  ///   - definition: ALSA configuration that defines it.
  ///   - acoustics: from the speaker to the microphone; by itself the very samples arrive.
  ///   - adjust: what the engine's configuration has of its own.
  init(
    records: Bool = false, device name: String = "simroom", definition: String = "",
    acoustics: SimulatedRoomAcoustics = SimulatedRoomAcoustics(
      echoReturnLossDB: 0, delayMS: 0, rt60MS: 0, noiseDBFS: -120),
    adjust: (inout VoiceDeviceConfiguration) -> Void = { _ in }
  ) throws {
    let directory = FileManager.default.temporaryDirectory
      .appendingPathComponent("live-room-\(getpid())").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    recording = "\(directory)/room.wav"
    ownRecording = "\(directory)/own.wav"
    let library = try SimulatedRoomLibrary()
    room = try library.room(named: "live")
    try room.useManualClock()
    try room.configure(acoustics, recordingTo: recording)
    let configuration = "\(directory)/alsa.conf"
    try SimulatedRoomConfiguration(libraryPath: library.path, roomName: "live")
      .write(to: configuration)
    let text = try String(contentsOfFile: configuration, encoding: .utf8) + definition
    try text.write(toFile: configuration, atomically: true, encoding: .utf8)
    setenv("ALSA_CONFIG_PATH", configuration, 1)
    var device = Self.configuration
    device.capture = name
    device.playback = name
    device.recording = records ? ownRecording : nil
    adjust(&device)
    engine = try VoiceEngine(configuration: device)
  }

  static var configuration: VoiceDeviceConfiguration {
    var configuration = VoiceDeviceConfiguration()
    configuration.capture = "simroom"
    configuration.playback = "simroom"
    configuration.isUntimed = true
    return configuration
  }

  func start() throws {
    try engine.start()
    try wait { room.streamStart(.capture) != nil }
  }

  func say(_ samples: [Int16]) throws { _ = try room.say(samples) }

  /// Lets `blocks` times 10 ms pass, each once the engine is done with the one before.
  func pass(blocks: Int) throws {
    for _ in 0..<blocks {
      let before = engine.status.counters
      try room.advance(by: 480)
      try wait {
        let now = engine.status
        return now.counters.blocks > before.blocks || now.counters.xruns > before.xruns
          || !now.isRunning
      }
      engine.drain { outputs.append($0) }
    }
  }

  private func wait(until condition: () -> Bool) throws {
    // The engine's thread needs a moment of real time; only one that stands still needs a minute.
    for _ in 0..<600_000 {
      if condition() { return }
      usleep(100)
    }
    throw StoodStill()
  }

  /// What the room heard at the speaker.
  func speaker() throws -> [Int16] {
    try room.flush()
    let data = try Data(contentsOf: URL(fileURLWithPath: recording)).dropFirst(44)
    return stride(from: data.startIndex + 2, to: data.endIndex - 1, by: 4).map {
      Int16(bitPattern: UInt16(data[$0]) | UInt16(data[$0 + 1]) << 8)
    }
  }

  struct StoodStill: Error {}
}
