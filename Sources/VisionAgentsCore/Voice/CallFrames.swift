import SessionsModel
import VoiceEngine

/// The frames a device sends about its call (contract part 3, "Signalling").
enum CallFrames {
  static func join(deviceID: String, camera: Bool) -> Frame {
    Frame(
      .callJoin,
      [
        "media": "websocket", "device_id": .string(deviceID), "camera": .bool(camera),
        "client": ["name": "VisionAgentsCore", "platform": "linux"],
      ])
  }

  static let leave = Frame(.callLeave)

  static func mute(_ isMuted: Bool) -> Frame {
    Frame(.callMute, ["audio": .bool(isMuted), "video": true])
  }

  /// What the speaker really played.
  static func played(_ progress: PlayoutProgress) -> Frame {
    var frame = Frame(
      .callPlayed,
      [
        "generation": .int(Int(progress.generation)),
        "played_ms": .int(progress.playedMilliseconds),
        "finished": .bool(progress.isFinished), "estimated": false,
      ])
    // The last report of a generation that was cut.
    if progress.isFlushed { frame["flushed"] = true }
    if let startedAt = progress.startedAt { frame["started_at"] = .int(Int(startedAt)) }
    return frame
  }

  /// The person speaks over the agent, of whom so much was heard.
  static func bargeIn(_ progress: PlayoutProgress, isConfirmed: Bool) -> Frame {
    Frame(
      .callBargein,
      [
        "generation": .int(Int(progress.generation)),
        "played_ms": .int(progress.playedMilliseconds), "confirmed": .bool(isConfirmed),
      ])
  }

  static func status(echo: EchoStatus, isMuted: Bool) -> Frame {
    Frame(
      .callStatus,
      ["echo": .string(echo.rawValue), "fec_effective": true, "muted": .bool(isMuted)])
  }
}
