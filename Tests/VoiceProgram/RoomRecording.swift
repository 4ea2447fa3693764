public import Foundation

/// What the simulated room recorded: the microphone, the speaker, and when the person spoke.
public struct RoomRecording: Sendable {
  /// A recording that cannot be read.
  public struct Unreadable: Error, CustomStringConvertible {
    public let description: String
  }

  private struct Notes: Decodable {
    struct Utterance: Decodable {
      var start: Int
      var frames: Int

      private enum CodingKeys: String, CodingKey {
        case start = "start_frame"
        case frames
      }
    }
    var utterances: [Utterance]
  }

  /// -40 dBFS.
  public static let audible: Int16 = 328

  public let microphone: [Int16]
  public let speaker: [Int16]
  /// Frames of the recording, 48 kHz, in which the person's clips lie.
  public let utterances: [Range<Int>]

  /// Reads the room's WAV and the JSON file beside it.
  public init(contentsOf file: URL) throws {
    let bytes = [UInt8](try Data(contentsOf: file))
    guard bytes.count >= 44, bytes.starts(with: Array("RIFF".utf8)), bytes[22] == 2 else {
      throw Unreadable(description: "\(file.path) is not a recording of the room.")
    }
    func channel(_ offset: Int) -> [Int16] {
      stride(from: 44 + offset, to: bytes.count - 3 + offset, by: 4).map {
        Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
      }
    }
    microphone = channel(0)
    speaker = channel(2)
    let notes = file.deletingPathExtension().appendingPathExtension("json")
    utterances = try JSONDecoder().decode(Notes.self, from: Data(contentsOf: notes))
      .utterances.map { $0.start..<$0.start + $0.frames }
  }

  /// The first audible frame of the speaker at or after `frame`; nil when there is none.
  public func firstSound(from frame: Int) -> Int? {
    guard frame < speaker.count else { return nil }
    return speaker[frame...].firstIndex { $0 >= Self.audible || $0 <= -Self.audible }
  }

  /// The stretches of the speaker in which the agent spoke: audible, with no pause longer than
  /// `pause` frames, and 100 ms around.
  public func agentUtterances(pause: Int = 72_000) -> [Range<Int>] {
    var found: [Range<Int>] = []
    for frame in speaker.indices
    where speaker[frame] >= Self.audible || speaker[frame] <= -Self.audible {
      if let last = found.last, frame - last.upperBound <= pause {
        found[found.count - 1] = last.lowerBound..<frame + 1
      } else {
        found.append(frame..<frame + 1)
      }
    }
    return found.map { max(0, $0.lowerBound - 4_800)..<min(speaker.count, $0.upperBound + 4_800) }
  }
}
