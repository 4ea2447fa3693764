import Foundation
import Glibc
import SimulatedRoomControl

/// The simulated room of a run: made, configured and recording before ALSA is first asked.
struct RoomStage {
  /// What ALSA calls its microphone and its speaker.
  static let pcm = "simroom"

  private let room: SimulatedRoom

  /// - Parameters:
  ///   - recording: the WAV the room writes (left: microphone, right: speaker).
  ///   - echoReturnLoss: from speaker to microphone, in dB.
  ///   - workingFolder: where the ALSA configuration is written.
  /// - Throws: ``FileFault`` naming what is missing.
  init(recording: URL, echoReturnLoss: Double, workingFolder: URL) throws(FileFault) {
    do {
      for folder in [workingFolder, recording.deletingLastPathComponent()] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      let library = try SimulatedRoomLibrary()
      let configuration = workingFolder.appending(path: "asound.conf").path
      try SimulatedRoomConfiguration(libraryPath: library.path).write(to: configuration)
      // alsa-lib reads its configuration once, at the first call of the process.
      setenv("ALSA_CONFIG_PATH", configuration, 1)
      room = try library.room()
      try room.configure(
        SimulatedRoomAcoustics(echoReturnLossDB: echoReturnLoss), recordingTo: recording.path)
    } catch let error as SimulatedRoomError {
      throw FileFault("\(error)")
    } catch {
      throw FileFault("the simulated room cannot be made: \(error.localizedDescription)")
    }
  }

  /// Lets the person say something (48 kHz mono).
  ///
  /// - Returns: the frame of the recording at which it begins.
  func say(_ samples: [Int16]) throws(FileFault) -> Int64 {
    do {
      return try room.say(samples)
    } catch {
      throw FileFault("\(error)")
    }
  }

  /// Waits until the recording is on the disk (two seconds at most).
  func finishRecording() throws(FileFault) {
    do {
      try room.flush()
    } catch {
      throw FileFault("\(error)")
    }
  }
}
