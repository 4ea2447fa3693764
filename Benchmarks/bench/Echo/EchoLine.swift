import EchoScenes
import Foundation

/// One row's result in one scene.
struct EchoLine: Sendable {
  let part: Int
  let scene: String
  let row: String
  let missing: String?
  let judgement: echo_judgement
  let hasOtherHash: Bool

  /// Runs the suite.
  static func measure(seed: UInt64, isQuick: Bool, isWithoutCanceller: Bool) throws -> [EchoLine] {
    var lines: [EchoLine] = []
    var error = [CChar](repeating: 0, count: 512)
    let result = "\(Places.fixtures)/echo".withCString { speech in
      EchoBench.recordings.withCString { recordings in
        Places.vadWeights.withCString { weights in
          var options = echo_options(
            speech: speech, recordings: recordings, vad_weights: weights, seed: seed,
            is_quick: isQuick ? 1 : 0, is_without_canceller: isWithoutCanceller ? 1 : 0)
          return withUnsafeMutablePointer(to: &lines) {
            echo_bench_run(&options, EchoLine.tell, $0, &error, error.count)
          }
        }
      }
    }
    guard result == 0 else {
      let sentence = error.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
      throw BenchFailure(String(decoding: sentence, as: UTF8.self))
    }
    return lines
  }

  private static let tell:
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<echo_line>?)
      -> Void = { context, line in
        guard let line = line?.pointee else { return }
        context?.assumingMemoryBound(to: [EchoLine].self).pointee.append(EchoLine(line))
      }

  private init(_ line: echo_line) {
    part = Int(line.part)
    scene = String(cString: line.scene)
    row = String(cString: line.row)
    missing = line.missing.map { String(cString: $0) }
    judgement = line.judgement
    hasOtherHash = line.recorded_hash != 0 && line.recorded_hash != line.hash
  }
}
