import Foundation

/// Puts the events of a streamed chat completion together.
struct ChatCompletionReader {
  /// Calls one answer may make.
  static let callsAtMost = 32

  private var calls: [(id: String, name: String, arguments: String)] = []
  private var usage = ModelUsage()
  private(set) var isFinished = false
  /// The model said that it is done; only usage and `[DONE]` may follow.
  private(set) var isComplete = false

  /// Takes the data of one event.
  mutating func take(_ data: String) throws(ProviderError) -> [ModelEvent] {
    guard !isFinished else { return [] }
    if data == "[DONE]" { return finish() }
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    guard let chunk = try? decoder.decode(ChatCompletionChunk.self, from: Data(data.utf8)) else {
      throw .failed("The provider sent an event that cannot be read: \(data.prefix(200))")
    }
    if let error = chunk.error {
      throw .failed("The provider failed: \(error.message ?? "no reason given")")
    }
    if let counted = chunk.usage {
      usage = ModelUsage(
        inputTokens: counted.promptTokens ?? 0,
        cachedInputTokens: counted.promptTokensDetails?.cachedTokens ?? 0,
        outputTokens: counted.completionTokens ?? 0)
    }
    // Only the first choice was asked for.
    if chunk.choices?.first?.finishReason != nil { isComplete = true }
    guard let delta = chunk.choices?.first?.delta else { return [] }
    for fragment in delta.toolCalls ?? [] { try take(fragment) }
    guard let content = delta.content, !content.isEmpty else { return [] }
    return [.text(content)]
  }

  /// The end of the answer, by `[DONE]` or by the end of the stream.
  mutating func finish() -> [ModelEvent] {
    guard !isFinished else { return [] }
    isFinished = true
    return calls.map {
      .toolCall(
        ModelToolCall(
          id: $0.id, name: $0.name, arguments: $0.arguments.isEmpty ? "{}" : $0.arguments))
    } + [.finished(usage)]
  }

  private mutating func take(_ fragment: ChatCompletionChunk.ToolCallFragment)
    throws(ProviderError)
  {
    let index = fragment.index ?? max(calls.count - 1, 0)
    guard index >= 0, index <= calls.count, index < Self.callsAtMost else {
      throw .failed("The provider sent a tool call out of order (index \(index)).")
    }
    if index == calls.count { calls.append((id: "call_\(index)", name: "", arguments: "")) }
    if let id = fragment.id, !id.isEmpty { calls[index].id = id }
    // llama_cpp.server says the whole name again with every fragment.
    let name = fragment.function?.name ?? ""
    if name != calls[index].name { calls[index].name += name }
    calls[index].arguments += fragment.function?.arguments ?? ""
  }
}
