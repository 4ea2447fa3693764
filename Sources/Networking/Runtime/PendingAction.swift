import Synchronization

/// An action that runs once or is dropped, whichever comes first, from any thread.
final class PendingAction: Sendable {
  private let action: Mutex<(@Sendable () -> Void)?>

  init(_ action: @escaping @Sendable () -> Void) {
    self.action = Mutex(action)
  }

  var isPending: Bool {
    action.withLock { $0 != nil }
  }

  @Sendable func run() {
    take()?()
  }

  @Sendable func drop() {
    _ = take()
  }

  private func take() -> (@Sendable () -> Void)? {
    action.withLock { action in
      defer { action = nil }
      return action
    }
  }
}
