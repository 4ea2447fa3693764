import Synchronization

/// One request to a worker: what is known of it, and the way its answer takes to the reader.
///
/// Its flags belong to the supervisor, which is the only one to touch them.
final class WorkerExchange: Sendable {
  enum Answer: Sendable, Equatable {
    case data(WorkerFrame)
    case result(WorkerResult)
  }

  let id: UInt32
  let inbox: Inbox<Answer>
  private let flags = Mutex((isAnswerDue: false, isCancelled: false))

  init(id: UInt32, capacity: Int) {
    self.id = id
    inbox = Inbox(capacity: capacity)
  }

  /// The worker has all it needs and must not stay silent.
  var isAnswerDue: Bool {
    get { flags.withLock { $0.isAnswerDue } }
    set { flags.withLock { $0.isAnswerDue = newValue } }
  }

  var isCancelled: Bool {
    get { flags.withLock { $0.isCancelled } }
    set { flags.withLock { $0.isCancelled = newValue } }
  }
}
