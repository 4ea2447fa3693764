import Networking

/// An answer streaming in from a chat completions server.
final class ChatCompletionReply: ModelReply {
  private let inbox = Inbox<ModelEvent>(capacity: OpenAICompatibleLanguageModel.unreadEvents)
  private let transfer: Task<Void, Never>

  init(response: HTTPResponseStream, runtime: any Runtime, stallLimit: Duration, name: String) {
    let inbox = inbox
    transfer = Task(executorPreference: runtime.executor) {
      do throws(ProviderError) {
        var events = ServerSentEventDecoder()
        var reader = ChatCompletionReader()
        while !reader.isFinished {
          let bytes = try await withTimeLimit(
            stallLimit, on: runtime,
            otherwise: "\(name) stopped for \(stallLimit.wholeMilliseconds) ms in mid-answer."
          ) { () throws(ProviderError) -> [UInt8]? in
            do throws(TransportError) {
              return try await response.next()
            } catch {
              throw ProviderError(error)
            }
          }
          guard let bytes else {
            guard reader.isComplete else {
              throw ProviderError.failed("\(name) ended its answer before it was complete.")
            }
            // Some servers leave `[DONE]` out.
            for event in reader.finish() { _ = inbox.put(event) }
            break
          }
          for data in try events.append(bytes) {
            for event in try reader.take(data) where !inbox.put(event) {
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
}
