import Foundation
import SessionsModel
import VoiceEngine

/// Everything `voice devices` tells.
struct DevicesReport {
  var cards: [CardReport]
  var probe: DeviceProbe
  var isRealtimePermitted: Bool
  /// Bytes of memory that this user may lock; nil for all of it.
  var lockableBytes: Int?

  /// What a 256 KiB stack, the core and its queues need.
  static let neededLockableBytes = 8 << 20

  /// Asks the machine; waits for drivers.
  init(system: SoundSystem, device: VoiceDeviceConfiguration) {
    let cards = system.cards()
    self.cards = cards.map { CardReport($0) }
    probe = DeviceProbe(device, cards: cards)
    isRealtimePermitted = AudioCard.isRealtimePermitted()
    lockableBytes = AudioCard.lockableBytes()
  }

  var lines: [String] {
    var lines = cards.flatMap(\.lines)
    if cards.isEmpty {
      lines.append("No sound card. `voice run` uses the simulated room on such a machine.")
    }
    lines += ["", "what a conversation opens"]
    lines.append("  microphone  \(probe.capture.isEmpty ? "none" : probe.capture)")
    lines.append("  speaker     \(probe.playback.isEmpty ? "none" : probe.playback)")
    lines += probe.refusals.map { refusal in
      "  refused     \(refusal.pcm) (\(refusal.captures ? "microphone" : "speaker")): \(refusal.reason)"
    }
    if let failure = probe.failure, !cards.isEmpty { lines.append("  \(failure)") }
    lines += ["", "permissions"] + permissions
    if !cards.isEmpty {
      lines += [
        "",
        "Give a name as --capture (microphone) or --playback (speaker); `voice doctor` listens.",
      ]
    }
    return lines
  }

  private var permissions: [String] {
    let user = NSUserName()
    var lines: [String] = []
    if isRealtimePermitted {
      lines.append("  realtime    permitted (SCHED_FIFO)")
    } else {
      lines += [
        "  realtime    not permitted: on a busy machine the sound may stutter. Put this line into",
        "              /etc/security/limits.d/voice.conf and log in again:  \(user) - rtprio 40",
      ]
    }
    if let lockableBytes, lockableBytes < Self.neededLockableBytes {
      lines += [
        "  memory lock \(lockableBytes >> 10) KiB of \(Self.neededLockableBytes >> 10) KiB; beside the"
          + " line above:  \(user) - memlock 16384"
      ]
    } else {
      lines.append("  memory lock permitted")
    }
    return lines
  }

  var json: JSONValue {
    [
      "cards": .array(cards.map(\.json)),
      "opens": [
        "microphone": probe.capture.isEmpty ? .null : .string(probe.capture),
        "speaker": probe.playback.isEmpty ? .null : .string(probe.playback),
        "failure": probe.failure.map { .string($0) } ?? .null,
        "refused": .array(
          probe.refusals.map { refusal in
            [
              "pcm": .string(refusal.pcm),
              "direction": .string(refusal.captures ? "microphone" : "speaker"),
              "reason": .string(refusal.reason),
            ]
          }),
      ],
      "realtime_permitted": .bool(isRealtimePermitted),
      "lockable_bytes": lockableBytes.map { .int($0) } ?? .null,
    ]
  }
}
