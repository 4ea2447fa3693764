import SessionsModel

/// What waits for one watcher's socket: bounded frames, then perhaps the close.
struct WatcherQueue {
  /// Frames that may wait, apart from replayed ones (contract part 2, "Events").
  static let capacity = 256

  private var steps: [EventWatcher.Step] = []
  private var head = 0
  /// Replayed frames that still wait, all ahead of the others: they do not count against the bound.
  private var replayed = 0
  private(set) var isClosing = false

  var count: Int { steps.count - head }

  /// Queues what a watcher missed, ahead of everything that follows.
  mutating func replay(_ frames: [Frame]) {
    guard !isClosing else { return }
    steps.append(contentsOf: frames.map { .send($0) })
    replayed = count
  }

  /// Queues a frame; at the bound the queue is dropped and the watcher told to resume, because
  /// what waits would come late anyway and comes again after its last number.
  mutating func append(_ frame: Frame) {
    guard !isClosing else { return }
    if count - replayed >= Self.capacity {
      clear()
      close(code: 4008, reason: "too slow: resume with after and stream")
    } else {
      steps.append(.send(frame))
    }
  }

  /// Queues the close; nothing is accepted afterwards.
  mutating func close(code: Int, reason: String) {
    guard !isClosing else { return }
    isClosing = true
    steps.append(.close(code: code, reason: reason))
  }

  /// Drops everything and accepts nothing more.
  mutating func abandon() {
    clear()
    isClosing = true
  }

  mutating func take() -> EventWatcher.Step? {
    guard head < steps.count else { return nil }
    let step = steps[head]
    head += 1
    replayed = max(0, replayed - 1)
    // Moving the rest only once half is consumed keeps taking cheap.
    if head * 2 > steps.count {
      steps.removeFirst(head)
      head = 0
    }
    return step
  }

  private mutating func clear() {
    steps = []
    head = 0
    replayed = 0
  }
}
