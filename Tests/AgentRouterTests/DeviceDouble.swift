import CVoiceDSP
import CallTransport
import Foundation
import Networking
import Providers
import SessionsModel
import Simulation
import Synchronization
import Testing

@testable import AgentRouter

/// A device on a session's call, from outside: it speaks tones, plays what comes at the pace of its
/// own clock, and reports what it played.
final class DeviceDouble: WebSocketConnection, Sendable {
  private struct State {
    /// Packets of speech that came, by generation.
    var packets: [UInt32: Int] = [:]
    var played: [UInt32: Int] = [:]
    var startedAt: [UInt32: UInt32] = [:]
    var ended: Set<UInt32> = []
    var flushedBelow: UInt32 = 0
    var captured: UInt32 = 0
    var reports = true
  }

  private let bench: SessionBench
  private let watcher: EventWatcher
  private let incoming = Inbox<WebSocketEvent>(capacity: 4_096)
  private let state = Mutex(State())
  // Used by the one task that speaks.
  nonisolated(unsafe) private let encoder: OpaquePointer

  init(_ bench: SessionBench, _ watcher: EventWatcher) throws {
    self.bench = bench
    self.watcher = watcher
    var encoder: OpaquePointer?
    try #require(vd_encoder_create(&encoder, 24_000, 5) == 0)
    self.encoder = try #require(encoder)
  }

  deinit {
    vd_encoder_destroy(encoder)
  }

  /// Samples at 48 kHz captured so far.
  var captured: UInt32 { state.withLock { $0.captured } }

  func packets(of generation: UInt32) -> Int {
    state.withLock { $0.packets[generation] ?? 0 }
  }

  /// Stops reporting, as a device that lost its network.
  func fallSilent() {
    state.withLock { $0.reports = false }
  }

  /// Joins the call and begins to play.
  func join(_ reader: FrameReader) async throws {
    await bench.session.handle(
      command: ["type": "call.join", "media": "websocket", "device_id": "d1"], from: watcher)
    let joined = try #require(await reader.until(.callJoined).last)
    let url = try #require(joined["media_url"]?.stringValue)
    let token = String(try #require(url.split(separator: "=").last))
    let participant = try #require(await bench.session.redeemMediaToken(token))
    #expect(participant == joined["participant_id"]?.stringValue)
    bench.runtime.task { await self.bench.session.serveMedia(self, participant: participant) }
    bench.runtime.task { await self.play() }
    bench.runtime.task { await self.stepMedia() }
  }

  func leave() {
    _ = incoming.put(.closed(code: 1000, reason: "left"))
    incoming.finish()
  }

  /// Captures for a while: a tone as speech, or the near silence of a room.
  func capture(milliseconds: Int, isSpeech: Bool) async throws {
    for _ in 0..<(milliseconds / 20) {
      let start = captured
      let frame = (0..<VD_FRAME_SAMPLES).map { index -> Float in
        let time = Float(start) + Float(index)
        let noise = Float((time * 12.9898).remainder(dividingBy: 1)) * 0.0004
        guard isSpeech else { return noise }
        let wave = sin(time * 2 * .pi * 180 / 48_000) + 0.5 * sin(time * 2 * .pi * 720 / 48_000)
        return 0.3 * wave * (0.7 + 0.3 * sin(time * 2 * .pi * 4 / 48_000)) + noise
      }
      var payload = [UInt8](repeating: 0, count: Int(VD_PACKET_PAYLOAD_MAX))
      let bytes = vd_encoder_encode(encoder, frame, &payload, payload.count)
      let packet = MediaFrame(
        kind: .opus, participant: 1, sequence: start / 960, timestamp: start,
        payload: Array(payload.prefix(Int(bytes))))
      _ = incoming.put(.message(.binary(try packet.encoded())))
      state.withLock { $0.captured += 960 }
      try await bench.runtime.sleep(for: .milliseconds(20))
    }
  }

  private func stepMedia() async {
    while await bench.session.state != .ended {
      bench.media?.step()
      // Nobody cancels this task.
      try? await bench.runtime.sleep(for: .milliseconds(5))
    }
  }

  /// Plays 20 ms of the oldest generation at a time and reports every 100 ms.
  private func play() async {
    var tick = 0
    while await bench.session.state != .ended {
      let report = state.withLock { state -> JSONValue? in
        let open = state.packets.keys.filter { $0 >= state.flushedBelow }.sorted()
        let current = open.first { (state.played[$0] ?? 0) < (state.packets[$0] ?? 0) }
        guard let generation = current else { return nil }
        if state.startedAt[generation] == nil { state.startedAt[generation] = state.captured }
        state.played[generation, default: 0] += 1
        let isFinished =
          state.ended.contains(generation)
          && state.played[generation] == state.packets[generation]
        guard state.reports, isFinished || tick % 5 == 0 else { return nil }
        return [
          "type": "call.played", "generation": .int(Int(generation)),
          "played_ms": .int((state.played[generation] ?? 0) * 20),
          "started_at": .int(Int(state.startedAt[generation] ?? 0)),
          "finished": .bool(isFinished), "estimated": false,
        ]
      }
      if let report { await bench.session.handle(command: report, from: watcher) }
      tick += 1
      // Nobody cancels this task.
      try? await bench.runtime.sleep(for: .milliseconds(20))
    }
  }

  // MARK: WebSocketConnection

  func send(_ message: WebSocketMessage) async {
    guard case .binary(let bytes) = message, let frame = try? MediaFrame(decoding: bytes) else {
      Issue.record("the router sent something that is no media frame")
      return
    }
    state.withLock { state in
      switch frame.kind {
      case .end: state.ended.insert(frame.generation)
      default: state.packets[frame.generation, default: 0] += 1
      }
    }
  }

  var unsentBytes: Int { 0 }

  func receive() async -> WebSocketEvent? {
    // The inbox never fails.
    try? await incoming.next()
  }

  func close(code: Int, reason: String) async {
    leave()
  }
}
