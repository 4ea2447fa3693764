import Synchronization

/// A body that is read once.
final class UnreadBody: Sendable {
  private let body: Mutex<[UInt8]?>

  init(_ body: [UInt8]) {
    self.body = Mutex(body.isEmpty ? nil : body)
  }

  func take() -> [UInt8]? {
    body.withLock { body in
      defer { body = nil }
      return body
    }
  }
}
