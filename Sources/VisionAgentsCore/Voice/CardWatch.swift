public import Networking
public import VoiceEngine

/// Follows the sound cards of a machine: carries out what ``CardWatchMachine`` decides.
///
/// Reading the list waits for the file system, so it runs on a thread of its own.
public actor CardWatch {
  private let runtime: any Runtime
  private let system: SoundSystem
  private let onChange: @Sendable () -> Void
  private var machine: CardWatchMachine
  private var news: CardNews?
  private var watch: ScheduledAction?
  private var pause: ScheduledAction?
  private var known: [AudioCard]?
  private var isLooking = false
  private var mustLookAgain = false

  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    runtime.executor.asUnownedSerialExecutor()
  }

  /// - Parameter onChange: called on the runtime's executor when a card may have come or gone, or may
  ///   be opened now.
  public init(
    runtime: any Runtime, system: SoundSystem = .machine, onChange: @escaping @Sendable () -> Void
  ) {
    self.runtime = runtime
    self.system = system
    self.onChange = onChange
    // The kernel tells of this machine's own cards only.
    machine = CardWatchMachine(first: system == .machine ? .messages : .folder)
  }

  /// Follows the cards until the returned action is cancelled.
  public nonisolated func start() -> ScheduledAction {
    runtime.task { await self.handle(.started) }
    return ScheduledAction { self.runtime.task { await self.handle(.stopped) } }
  }

  /// What tells of changes now.
  public var source: CardWatchMachine.Source { machine.source }

  /// Times that the list of cards was read.
  var looks: Int { machine.looks }

  private func handle(_ event: CardWatchMachine.Event) {
    for action in machine.handle(event) {
      switch action {
      case .open(let source): open(source)
      case .close: close()
      case .pause(let duration, let number):
        pause?.cancel()
        pause = runtime.after(duration) {
          self.runtime.task { await self.handle(.pauseOver(number)) }
        }
      case .look: look()
      case .announce: onChange()
      }
    }
  }

  private func open(_ source: CardWatchMachine.Source) {
    guard source != .polling else { return }
    do throws(AudioError) {
      let news = try CardNews(source, in: system)
      self.news = news
      watch = runtime.watch(descriptor: news.descriptor) { [weak self] in
        self?.assumeIsolated { $0.take() }
      }
      handle(.opened)
    } catch {
      handle(.failed)
    }
  }

  private func close() {
    watch?.cancel()
    watch = nil
    // The loop has let go of the descriptor; now it may be closed.
    news = nil
    if !machine.isRunning { pause?.cancel() }
  }

  private func take() {
    guard let news else { return }
    switch news.take() {
    case true?: handle(.told)
    case false?: break
    case nil: handle(.failed)
    }
  }

  private func look() {
    guard !isLooking else {
      mustLookAgain = true
      return
    }
    isLooking = true
    runtime.task { await self.readList() }
  }

  private func readList() async {
    let system = system
    repeat {
      mustLookAgain = false
      let cards = await DeviceThread.run { system.cards() }
      let isNew = known != nil && cards != known
      known = cards
      handle(.looked(isNew: isNew))
    } while mustLookAgain
    isLooking = false
  }
}
