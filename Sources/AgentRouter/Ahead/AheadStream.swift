import Networking
import Providers
import Synchronization

/// Reads a provider's reply before anybody wants it, and keeps what came.
///
/// Bound: 512 elements; beyond it the provider is read more slowly.
final class AheadStream<Element: Sendable>: Sendable {
  private static var unread: Int { 512 }
  private static var pause: Duration { .milliseconds(20) }

  let askedAt: MonotonicInstant
  private let runtime: any Runtime
  private let inbox = Inbox<Element>(capacity: AheadStream.unread)
  private let state: Mutex<State>

  private struct State {
    var firstAt: MonotonicInstant?
    var isCancelled = false
    var hasFailed = false
    var cancelProvider: (@Sendable () async -> Void)?
    /// Of speech: what the provider's reply says of itself.
    var rate: Int?
    /// Of speech: where its words end.
    var wordEnds: (@Sendable () -> [Int])?

    /// - Returns: whether the reply was cancelled before it began.
    mutating func take(_ cancel: @escaping @Sendable () async -> Void) -> Bool {
      if !isCancelled { cancelProvider = cancel }
      return isCancelled
    }
  }

  init(runtime: any Runtime) {
    self.runtime = runtime
    askedAt = runtime.now
    state = Mutex(State())
  }

  /// When the first element came; nil while none has.
  var firstAt: MonotonicInstant? { state.withLock { $0.firstAt } }

  /// Reads until the provider's end or ``cancel()``.
  ///
  /// - Parameters:
  ///   - cancel: takes the request back at the provider.
  ///   - seen: is shown every element as it comes.
  func read(
    cancel: @escaping @Sendable () async -> Void, seen: (Element) async -> Void = { _ in },
    _ next: () async throws(ProviderError) -> Element?
  ) async {
    guard !state.withLock({ $0.take(cancel) }) else { return await cancel() }
    do throws(ProviderError) {
      while let element = try await next() {
        state.withLock { $0.firstAt = $0.firstAt ?? runtime.now }
        await seen(element)
        while !inbox.put(element), !state.withLock({ $0.isCancelled }) {
          // A cancelled task reads on at once; the cancelled reply ends it.
          try? await runtime.sleep(for: Self.pause)
        }
      }
      inbox.finish()
    } catch {
      fail(error)
    }
  }

  /// Keeps the sample rate of the provider's reply, in Hz.
  func keep(rate: Int?) {
    state.withLock { $0.rate = rate }
  }

  /// Nothing more will come of it, and nothing has: it is no use to anybody.
  var hasFailed: Bool { state.withLock { $0.hasFailed && $0.firstAt == nil } }

  /// The request could not even be made.
  func fail(_ error: ProviderError) {
    state.withLock { $0.hasFailed = true }
    inbox.fail(error)
  }

  func next() async throws(ProviderError) -> Element? {
    try await inbox.next()
  }

  func cancel() async {
    let cancel = state.withLock { state in
      state.isCancelled = true
      defer { state.cancelProvider = nil }
      return state.cancelProvider
    }
    inbox.fail(.cancelled)
    await cancel?()
  }
}

extension AheadStream: ModelReply where Element == ModelEvent {}
extension AheadStream: SpeechReply where Element == [Int16] {
  var rate: Int? { state.withLock { $0.rate } }
  var wordEnds: [Int] { state.withLock { $0.wordEnds }?() ?? [] }

  /// Whose words it gives on.
  func gives(_ reply: any SpeechReply) {
    state.withLock { $0.wordEnds = { reply.wordEnds } }
  }
}
