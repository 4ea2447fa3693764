import Foundation
import Synchronization

/// An answer of a language worker.
final class WorkerModelReply: ModelReply {
  private struct Progress {
    /// A forced call is collected and handed over whole.
    var call = ""
    /// Bytes of a character that the worker has not finished.
    var partial: [UInt8] = []
    var usage: ModelUsage?
  }

  private let supervisor: WorkerSupervisor
  private let exchange: WorkerExchange
  private let isCall: Bool
  private let progress = Mutex(Progress())

  init(supervisor: WorkerSupervisor, exchange: WorkerExchange, isCall: Bool) {
    self.supervisor = supervisor
    self.exchange = exchange
    self.isCall = isCall
  }

  func next() async throws(ProviderError) -> ModelEvent? {
    if let usage = progress.withLock({ progress -> ModelUsage? in
      defer { progress.usage = nil }
      return progress.usage
    }) {
      return .finished(usage)
    }
    while let answer = try await exchange.inbox.next() {
      switch answer {
      case .data(let frame):
        guard frame.kind == .text, let text = text(frame.payload) else { continue }
        if !isCall { return .text(text) }
        progress.withLock { $0.call += text }
      case .result(let result):
        let usage = ModelUsage(
          inputTokens: result.inputTokens ?? 0, cachedInputTokens: result.cachedInputTokens ?? 0,
          outputTokens: result.outputTokens ?? 0)
        guard isCall else { return .finished(usage) }
        let call = try toolCall(progress.withLock { $0.call })
        progress.withLock { $0.usage = usage }
        return .toolCall(call)
      }
    }
    return nil
  }

  func cancel() async {
    await supervisor.cancel(exchange.id)
  }

  /// The whole characters of what has come; nil when there is none yet.
  private func text(_ bytes: [UInt8]) -> String? {
    progress.withLock { progress in
      progress.partial += bytes
      let whole = progress.partial.count - UTF8Tail.unfinishedBytes(of: progress.partial)
      let text = String(decoding: progress.partial.prefix(whole), as: UTF8.self)
      progress.partial.removeFirst(whole)
      return text.isEmpty ? nil : text
    }
  }

  private func toolCall(_ text: String) throws(ProviderError) -> ModelToolCall {
    guard
      let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any],
      let name = object["name"] as? String, let arguments = object["arguments"],
      let encoded = try? JSONSerialization.data(withJSONObject: arguments, options: .sortedKeys)
    else {
      // The grammar allows nothing else, so the answer was cut by its token limit.
      throw .failed("The model did not finish its tool call: \(text)")
    }
    return ModelToolCall(
      id: "call_\(exchange.id)", name: name, arguments: String(decoding: encoded, as: UTF8.self))
  }
}
