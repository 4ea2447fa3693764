import Synchronization

/// A value that a test and its tasks share.
public final class Shared<Value: Sendable>: Sendable {
  private let storage: Mutex<Value>

  public init(_ value: Value) {
    storage = Mutex(value)
  }

  public var value: Value {
    get { storage.withLock { $0 } }
    set { storage.withLock { $0 = newValue } }
  }

  /// Changes the value in one step.
  public func update(_ change: (inout Value) -> Void) {
    storage.withLock { change(&$0) }
  }
}
