import Foundation
import Glibc
import VoiceEngine

/// Plays a question on one card and records what another one hears, until the answer had its time.
struct QuestionPlayer {
  /// Silence before the question, in which the noise is measured, in samples at 48 kHz.
  static let lead = AcousticTurn.rate
  /// Of each packet: 10 ms.
  private static let packetSamples = 480
  /// Packets handed over ahead of what is heard: 1 s.
  private static let ahead = 100

  let device: VoiceDeviceConfiguration
  /// Mono at 48 kHz.
  let question: [Int16]

  /// Blocks until the end; call it from a thread of its own.
  ///
  /// - Parameters:
  ///   - seconds: to listen for behind the question.
  ///   - isOver: asked every 20 ms; true ends it early.
  /// - Throws: ``FileFault`` when the device cannot be opened, is muted, or is lost on the way.
  func play(listeningFor seconds: Int, isOver: () -> Bool) throws(FileFault) {
    do throws(AudioError) {
      let engine = try VoiceEngine(configuration: device)
      defer { engine.stop() }
      try engine.start()
      try run(engine, seconds, isOver)
    } catch {
      throw FileFault(error.message)
    }
  }

  private func run(_ engine: VoiceEngine, _ seconds: Int, _ isOver: () -> Bool) throws(AudioError) {
    let packets = packets()
    let length = UInt64((Self.lead + question.count) / Self.packetSamples + seconds * 100)
    var next = 0
    var lost: String?
    while !isOver() {
      usleep(20_000)
      engine.drain { if case .deviceLost(let reason) = $0 { lost = reason } }
      if let lost { throw AudioError(code: .coreFailed, message: lost) }
      let blocks = engine.status.counters.blocks
      let due = max(0, Int(blocks) - Self.lead / Self.packetSamples) + Self.ahead
      while next < packets.count, Int(blocks) * Self.packetSamples >= Self.lead, next < due,
        engine.receive(packets[next])
      { next += 1 }
      if blocks >= length { return }
    }
  }

  private func packets() -> [SpeechPacket] {
    var packets: [SpeechPacket] = []
    for start in stride(from: 0, to: question.count, by: Self.packetSamples) {
      var samples = Array(question[start..<min(start + Self.packetSamples, question.count)])
      samples += [Int16](repeating: 0, count: Self.packetSamples - samples.count)
      packets.append(
        packet(
          packets.count, .pcm16,
          samples.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }))
    }
    packets.append(packet(packets.count, .end, []))
    return packets
  }

  private func packet(_ number: Int, _ kind: SpeechPacket.Kind, _ payload: [UInt8]) -> SpeechPacket
  {
    SpeechPacket(
      generation: 1, sequence: UInt32(number), timestamp: UInt32(number * Self.packetSamples),
      participant: 0, kind: kind, payload: payload)
  }
}
