/// How this process learns that sound cards come and go: the kernel's messages; where those cannot
/// be had, the folder of the device nodes; where that cannot either, looking every two seconds.
///
/// A value without I/O; its driver carries the actions out.
public struct CardWatchMachine: Sendable, Equatable {
  /// What tells.
  public enum Source: Int, Sendable, Hashable, CaseIterable {
    /// The kernel's own messages.
    case messages
    /// The folder of the device nodes.
    case folder
    /// Nothing: the cards are looked at in turn.
    case polling
  }

  /// What happened.
  public enum Event: Sendable, Equatable {
    case started
    case opened
    /// The source could not be opened, or broke.
    case failed
    /// The source says that a card may have come or gone.
    case told
    /// The pause of this number is over.
    case pauseOver(Int)
    /// The list of cards is read; `isNew` when it is not what it was.
    case looked(isNew: Bool)
    case stopped
  }

  /// What to do.
  public enum Action: Sendable, Equatable {
    case open(Source)
    case close
    /// Say so when this time has passed; a later pause takes the place of an earlier one.
    case pause(Duration, number: Int)
    /// Read the list of cards.
    case look
    /// Tell whoever follows.
    case announce
  }

  /// Between two looks where nothing tells.
  public static let pollInterval = Duration.seconds(2)
  /// Between two looks where something does: a container may be told of nothing and not know it.
  public static let mistrustInterval = Duration.seconds(10)
  /// The nodes of a card come one by one, and their owner is set a little later: so many looks
  /// follow what was told.
  public static let looksAfterNews = 5
  public static let newsInterval = Duration.milliseconds(200)

  public private(set) var source: Source
  /// Times that the list was read.
  public private(set) var looks = 0
  /// Sources that failed.
  public private(set) var failures = 0
  public private(set) var isRunning = false
  private var looksLeft = 0
  private var pauses = 0

  /// - Parameter first: what to try first.
  public init(first: Source = .messages) {
    source = first
  }

  public mutating func handle(_ event: Event) -> [Action] {
    guard isRunning || event == .started else { return [] }
    switch event {
    case .started:
      isRunning = true
      return [.look, .open(source), pause()]
    case .opened:
      return []
    case .failed:
      guard let next = Source(rawValue: source.rawValue + 1) else { return [] }
      failures += 1
      source = next
      // Whatever changed while the source was failing was not told.
      return next == .polling ? [.close, .look, pause()] : [.close, .open(next), .look, pause()]
    case .told:
      looksLeft = Self.looksAfterNews
      return [.look, .announce, pause()]
    case .pauseOver(let number):
      guard number == pauses else { return [] }
      looksLeft = max(0, looksLeft - 1)
      return [.look, pause()]
    case .looked(let isNew):
      looks += 1
      return isNew ? [.announce] : []
    case .stopped:
      isRunning = false
      return [.close]
    }
  }

  private mutating func pause() -> Action {
    pauses += 1
    let interval =
      looksLeft > 0
      ? Self.newsInterval : source == .polling ? Self.pollInterval : Self.mistrustInterval
    return .pause(interval, number: pauses)
  }
}
