import Foundation
import Networking
import Providers
import VoiceProgram

/// The product's own speech-to-text, used as a listener in the room.
struct Recogniser {
  private let runtime = LoopRuntime()
  private let supervisor: WorkerSupervisor
  private let speechToText: WorkerSpeechToText

  init() async throws {
    let launcher = WorkerProcessLauncher(
      path: VoiceProgram.cache.appending(path: "engines/current/bin/voice-stt").path,
      arguments: ["--models", VoiceProgram.cache.appending(path: "models").path],
      runtime: runtime
    ) { _ in }
    supervisor = WorkerSupervisor(name: "listener", launcher: launcher, runtime: runtime) { _ in }
    speechToText = WorkerSpeechToText(supervisor: supervisor)
    await supervisor.start()
    try await supervisor.waitUntilReady(limit: .seconds(30))
  }

  /// Writes down 48 kHz speech.
  func text(of speech: some Collection<Int16>) async throws -> String {
    let request = try await speechToText.begin()
    let samples = Self.thirdOfTheRate(Array(speech))
    for start in stride(from: 0, to: samples.count, by: 8_000) {
      await request.append(Array(samples[start..<min(start + 8_000, samples.count)]))
    }
    return try await request.finish().text
  }

  func stop() async {
    await supervisor.stop()
    await runtime.stop()
  }

  /// 48 kHz to 16 kHz behind a windowed sinc that ends at 7.5 kHz.
  private static func thirdOfTheRate(_ samples: [Int16]) -> [Int16] {
    let half = 36
    let cut = 7_500.0 / 48_000
    let taps = (-half...half).map { tap -> Float in
      let x = Double(tap)
      let sinc = tap == 0 ? 2 * cut : sin(2 * .pi * cut * x) / (.pi * x)
      return Float(sinc * (0.5 + 0.5 * cos(.pi * x / Double(half + 1))))
    }
    return stride(from: 0, to: samples.count, by: 3).map { middle in
      var sum: Float = 0
      for (index, tap) in taps.enumerated() {
        let position = middle + index - half
        if position >= 0, position < samples.count { sum += tap * Float(samples[position]) }
      }
      return Int16(max(-32_768, min(32_767, sum.rounded())))
    }
  }
}
