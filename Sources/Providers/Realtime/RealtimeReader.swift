import Foundation
import SessionsModel

/// Puts the server's events of one answer together.
///
/// Takes the names of the interface as it is and as it was in its beta.
struct RealtimeReader {
  /// The answer is whole; nothing of it follows.
  private(set) var isFinished = false
  private var odd: UInt8?

  /// - Parameter name: of the server, for sentences.
  mutating func take(_ text: String, from name: String) throws(ProviderError) -> [ModelEvent] {
    guard let event = try? JSONValue.parse(text), let type = event["type"]?.stringValue else {
      throw .failed("\(name) sent an event that cannot be read: \(text.prefix(200))")
    }
    switch type {
    case "response.output_audio.delta", "response.audio.delta":
      return try speech(event["delta"]?.stringValue ?? "", name)
    case "response.output_audio_transcript.delta", "response.audio_transcript.delta",
      "response.output_text.delta", "response.text.delta":
      let words = event["delta"]?.stringValue ?? ""
      return words.isEmpty ? [] : [.text(words)]
    case "response.function_call_arguments.done":
      return [
        .toolCall(
          ModelToolCall(
            id: event["call_id"]?.stringValue ?? "call_0", name: event["name"]?.stringValue ?? "",
            arguments: event["arguments"]?.stringValue ?? "{}"))
      ]
    case "response.done": return [.finished(try finish(event["response"] ?? .null, name))]
    case "error":
      throw Self.failure(event["error"] ?? .null, name)
    default: return []  // Of the session, of items, or of a later version.
    }
  }

  private mutating func speech(_ base64: String, _ name: String) throws(ProviderError)
    -> [ModelEvent]
  {
    guard let data = Data(base64Encoded: base64) else {
      throw .failed("\(name) sent sound that is no base64.")
    }
    var bytes = (odd.map { [$0] } ?? []) + data
    odd = bytes.count % 2 == 1 ? bytes.removeLast() : nil
    let samples = LittleEndianSamples.samples(of: bytes[...])
    return samples.isEmpty ? [] : [.speech(samples, rate: OpenAIRealtimeModel.rate)]
  }

  private mutating func finish(_ response: JSONValue, _ name: String) throws(ProviderError)
    -> ModelUsage
  {
    isFinished = true
    if response["status"]?.stringValue == "failed" {
      throw Self.failure(response["status_details"]?["error"] ?? .null, name)
    }
    let usage = response["usage"]
    return ModelUsage(
      inputTokens: usage?["input_tokens"]?.intValue ?? 0,
      cachedInputTokens: usage?["input_token_details"]?["cached_tokens"]?.intValue ?? 0,
      outputTokens: usage?["output_tokens"]?.intValue ?? 0)
  }

  private static func failure(_ error: JSONValue, _ name: String) -> ProviderError {
    let code = error["code"]?.stringValue ?? error["type"]?.stringValue ?? ""
    if code.contains("rate_limit") { return .rateLimited(retryAfter: nil) }
    return .failed("\(name) failed: \(error["message"]?.stringValue ?? "no reason given")")
  }
}
