import Providers
import Synchronization

/// The reply being read, for whoever gives it up.
final class RunningReply: Sendable {
  private let reply = Mutex<(any ModelReply)?>(nil)

  func set(_ reply: any ModelReply) {
    self.reply.withLock { $0 = reply }
  }

  func cancel() async {
    await reply.withLock { $0 }?.cancel()
  }
}
