import Networking

/// An answer streaming in from a chat completions server.
final class ChatCompletionReply: ModelReply {
  private let inbox = Inbox<ModelEvent>(capacity: OpenAICompatibleLanguageModel.unreadEvents)
  private let transfer: Task<Void, Never>

  init(response: HTTPResponseStream, server: OpenAIServer, stallLimit: Duration) {
    let inbox = inbox
    let name = server.name
    transfer = server.runtime.task {
      do throws(ProviderError) {
        var events = ServerSentEvents()
        var reader = ChatCompletionReader()
        while !reader.isFinished {
          let bytes = try await server.next(of: response, within: stallLimit)
          guard let bytes else {
            guard reader.isComplete else {
              throw ProviderError.failed("\(name) ended its answer before it was complete.")
            }
            // Some servers leave `[DONE]` out.
            for event in reader.finish() { _ = inbox.put(event) }
            break
          }
          for event in try Self.feed(bytes, to: &events) {
            for event in try reader.take(event.data) where !inbox.put(event) {
              throw ProviderError.failed("\(name) answered with more than can be taken.")
            }
          }
        }
        inbox.finish()
      } catch {
        inbox.fail(error)
      }
    }
  }

  deinit {
    transfer.cancel()
  }

  func next() async throws(ProviderError) -> ModelEvent? {
    try await inbox.next()
  }

  func cancel() async {
    inbox.fail(.cancelled)
    transfer.cancel()
  }

  private static func feed(_ bytes: [UInt8], to events: inout ServerSentEvents)
    throws(ProviderError) -> [ServerSentEvents.Event]
  {
    do throws(ServerSentEvents.TooLarge) {
      return try events.feed(bytes)
    } catch {
      throw .failed("The provider sent an event over \(ServerSentEvents.maximumEventBytes) bytes.")
    }
  }
}
