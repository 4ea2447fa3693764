import Stores

/// Sockets that were let in and do not watch their session yet: opening it takes its time.
///
/// Who ends the session meanwhile waits for them, so that each is told of the end, and none opens
/// again what was just closed.
struct SessionArrivals {
  private struct Door {
    var arriving = 0
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private var doors: [SessionKey: Door] = [:]

  mutating func began(at key: SessionKey) {
    doors[key, default: Door()].arriving += 1
  }

  /// It watches, or was refused.
  mutating func ended(at key: SessionKey) {
    guard var door = doors[key] else { return }
    door.arriving -= 1
    doors[key] = door.arriving > 0 ? door : nil
    guard door.arriving == 0 else { return }
    for waiting in door.waiting { waiting.resume() }
  }

  func isSomebodyArriving(at key: SessionKey) -> Bool { doors[key] != nil }

  /// Resumes once nobody is arriving.
  mutating func wait(at key: SessionKey, _ continuation: CheckedContinuation<Void, Never>) {
    guard doors[key] != nil else { return continuation.resume() }
    doors[key]?.waiting.append(continuation)
  }
}
