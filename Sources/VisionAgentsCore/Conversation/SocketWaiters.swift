/// Callers waiting for a socket to open or a session to end; each is answered once.
struct SocketWaiters {
  enum Wish {
    case open
    case end
  }

  private var waiting: [(id: Int, wish: Wish, continuation: CheckedContinuation<Bool, Never>)] = []
  private var lastID = 0

  mutating func nextID() -> Int {
    lastID += 1
    return lastID
  }

  mutating func add(_ id: Int, _ wish: Wish, _ continuation: CheckedContinuation<Bool, Never>) {
    waiting.append((id, wish, continuation))
  }

  /// The socket is open.
  mutating func opened() {
    answer { $0.wish == .open ? true : nil }
  }

  /// The session, or the hope for its socket, is over.
  mutating func ended() {
    answer { $0.wish == .end }
  }

  /// The time of one caller is over.
  mutating func expire(_ id: Int) {
    answer { $0.id == id ? false : nil }
  }

  private mutating func answer(_ reply: ((id: Int, wish: Wish)) -> Bool?) {
    let all = waiting
    waiting = []
    for waiter in all {
      if let answer = reply((waiter.id, waiter.wish)) {
        waiter.continuation.resume(returning: answer)
      } else {
        waiting.append(waiter)
      }
    }
  }
}
