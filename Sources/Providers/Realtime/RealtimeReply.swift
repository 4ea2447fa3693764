import Networking

/// An answer streaming in over a WebSocket, which is closed with it.
final class RealtimeReply: ModelReply {
  private let inbox = Inbox<ModelEvent>(capacity: OpenAIRealtimeModel.unreadEvents)
  private let transfer: Task<Void, Never>
  private let socket: any WebSocketConnection
  private let runtime: any Runtime

  init(socket: any WebSocketConnection, runtime: any Runtime, stall: Duration, name: String) {
    let inbox = inbox
    self.socket = socket
    self.runtime = runtime
    transfer = runtime.task {
      do throws(ProviderError) {
        var reader = RealtimeReader()
        while !reader.isFinished {
          let text = try await Self.next(socket, runtime, stall, name)
          for event in try reader.take(text, from: name) where !inbox.put(event) {
            throw ProviderError.failed("\(name) answered with more than can be taken.")
          }
        }
        inbox.finish()
      } catch {
        inbox.fail(error)
      }
      await socket.close(code: 1000, reason: "")
    }
  }

  deinit {
    transfer.cancel()
    let socket = socket
    runtime.task { await socket.close(code: 1000, reason: "") }
  }

  func next() async throws(ProviderError) -> ModelEvent? {
    try await inbox.next()
  }

  func cancel() async {
    inbox.fail(.cancelled)
    transfer.cancel()
    await socket.send(.text(#"{"type":"response.cancel"}"#))
    await socket.close(code: 1000, reason: "")
  }

  private static func next(
    _ socket: any WebSocketConnection, _ runtime: any Runtime, _ stall: Duration, _ name: String
  ) async throws(ProviderError) -> String {
    let event = try await withTimeLimit(
      stall, on: runtime, otherwise: "\(name) said nothing for \(stall.wholeMilliseconds) ms."
    ) { () throws(ProviderError) -> WebSocketEvent? in
      // A reader cannot be called back; the end of the connection wakes it.
      await withTaskCancellationHandler {
        await socket.receive()
      } onCancel: {
        runtime.task { await socket.close(code: 1000, reason: "") }
      }
    }
    switch event {
    case .message(.text(let text)): return text
    case .message(.binary): throw .failed("\(name) sent bytes where text is expected.")
    case .closed(let code, let reason):
      throw .failed(
        "\(name) closed the connection before its answer was complete (\(code) \(reason)).")
    case nil: throw .failed("\(name) closed the connection before its answer was complete.")
    }
  }
}
