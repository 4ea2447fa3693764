import Networking
public import Observation
import SessionsModel

/// A session's transcript, live: what was said, written and answered.
///
/// The agent does not answer a message sent here; write to the agent with `responses.create`.
@MainActor @Observable
public final class ChatChannelController {
  /// Messages asked for at a time, the most the router gives.
  static let pageLimit = 200

  /// The channel's name, `agent:` and the conversation's id.
  public nonisolated let cid: String
  /// The messages, oldest first.
  public private(set) var messages: [ChatMessage] = []

  private nonisolated let rest: RESTClient
  private nonisolated let sessionID: String
  @ObservationIgnored private var transcript = Transcript()
  @ObservationIgnored private var readers: [AsyncStream<[ChatMessage]>.Continuation] = []

  private init(
    cid: String, sessionID: String, rest: RESTClient, events: AsyncStream<AgentEvent>
  ) {
    self.cid = cid
    self.sessionID = sessionID
    self.rest = rest
    Task { @MainActor [weak self] in
      for await event in events {
        self?.apply(event)
      }
      self?.finish()
    }
  }

  static func open(_ session: AgentSession) async throws -> ChatChannelController {
    let rest = try session.client.chatRest()
    let channel = try await rest.send(
      .get, SessionPaths.session(session.id, "channel"), mayRepeat: true)
    let controller = ChatChannelController(
      cid: channel["cid"]?.stringValue ?? "agent:\(session.id)", sessionID: session.id, rest: rest,
      events: session.events())
    try await controller.synchronize()
    return controller
  }

  /// Reads the whole transcript from the router.
  public func synchronize() async throws {
    var cursor: String?
    repeat {
      let next = cursor.map { [(name: "cursor", value: $0)] } ?? []
      let page = try await rest.send(
        .get, SessionPaths.session(sessionID, "channel/messages"),
        query: [(name: "limit", value: String(Self.pageLimit))] + next, mayRepeat: true,
        as: WirePage<TranscriptMessage>.self)
      transcript.merge(page.items.map(ChatMessage.init))
      cursor = page.hasMore ? page.nextCursor : nil
    } while cursor != nil
    publish()
  }

  /// Writes a message into the transcript; nobody answers it.
  @discardableResult
  public func sendMessage(_ text: String) async throws -> ChatMessage {
    let message = ChatMessage(
      try await rest.send(
        .post, SessionPaths.session(sessionID, "channel/messages"),
        body: ["text": .string(text)], as: TranscriptMessage.self))
    transcript.merge([message])
    publish()
    return message
  }

  /// The messages after every change, until the session ends; a slow reader sees the newest only.
  public func changes() -> AsyncStream<[ChatMessage]> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: [ChatMessage].self, bufferingPolicy: .bufferingNewest(1))
    readers.append(continuation)
    return stream
  }

  private func apply(_ event: AgentEvent) {
    if transcript.apply(event) { publish() }
    guard event.kind == .snapshot, event.fields["gap"]?.boolValue == true else { return }
    // Messages were missed. A failure leaves what there is; `synchronize()` can be called again.
    Task { try? await self.synchronize() }
  }

  private func publish() {
    messages = transcript.messages
    readers.removeAll { reader in
      if case .terminated = reader.yield(messages) { true } else { false }
    }
  }

  private func finish() {
    for reader in readers {
      reader.finish()
    }
    readers = []
  }
}
