/// One bench: `bench NAME` runs it.
protocol Bench: Sendable {
  var name: String { get }
  /// One line for the list of benches.
  var summary: String { get }
  /// Negative controls: switches such as `canceller=off` with which the bench must fail.
  var controls: [String] { get }
  /// Measures.
  /// - Throws: when the bench itself fails; a figure that cannot be had is one with a `why`.
  func run(_ options: BenchOptions) async throws -> [Figure]
}

extension Bench {
  var controls: [String] { [] }
}

struct BenchOptions: Sendable {
  /// Under a minute a bench, for every commit.
  var isQuick = false
  /// Other people's systems run beside ours where a bench has them; they are installed once.
  var isBesidePeers = false
  /// Switches in force.
  var controls: Set<String> = []
}

/// A bench that could not be carried out.
struct BenchFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
