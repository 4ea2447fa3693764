/// The frames waiting to be written, bounded by what is still worth hearing.
///
/// At the bound the oldest speech goes. An end marker is kept while there is speech to drop, since
/// without it the listener would wait for more.
struct OutgoingMediaQueue: Sendable {
  /// Default bound in frames: 1.28 s of 20 ms packets, more than any lead we send ahead of time.
  static let defaultBound = 64

  private(set) var frames: [MediaFrame] = []
  let bound: Int

  init(bound: Int = Self.defaultBound) {
    precondition(bound > 0, "a queue without room cannot carry speech")
    self.bound = bound
  }

  /// Appends a frame; returns how many frames were dropped for it (0 or 1).
  mutating func append(_ frame: MediaFrame) -> Int {
    frames.append(frame)
    guard frames.count > bound else { return 0 }
    frames.remove(at: frames.firstIndex { $0.kind != .end } ?? 0)
    return 1
  }

  /// Removes frames of earlier generations; returns how many.
  mutating func discard(generationsBefore generation: UInt32) -> Int {
    let before = frames.count
    frames.removeAll { $0.generation < generation }
    return before - frames.count
  }

  mutating func popFirst() -> MediaFrame? {
    frames.isEmpty ? nil : frames.removeFirst()
  }

  mutating func removeAll() {
    frames.removeAll()
  }
}
