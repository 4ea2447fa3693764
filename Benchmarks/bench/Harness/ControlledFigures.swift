extension [Figure] {
  /// Under a negative control a missed bar is what is wanted, and the bench fails by it.
  ///
  /// - Throws: ``BenchFailure`` naming the figures that missed.
  func failUnderControl(_ options: BenchOptions) throws {
    guard !options.controls.isEmpty else { return }
    let missed = filter { $0.holds == false }.map(\.name)
    guard missed.isEmpty else {
      throw BenchFailure("missed, as the control wants: \(missed.joined(separator: ", "))")
    }
  }
}
