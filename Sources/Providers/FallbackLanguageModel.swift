import Networking
import Synchronization

/// Models that stand in for one another: the next one is asked when one fails or stays silent
/// before its first word. What has begun to answer is never repeated by another.
struct FallbackLanguageModel: LanguageModel {
  /// How long a model may take to its first word while another one stands by.
  static let firstWordLimit = Duration.milliseconds(1_500)

  private let models: [any LanguageModel]
  private let runtime: any Runtime

  init(_ models: [any LanguageModel], runtime: any Runtime) {
    precondition(!models.isEmpty, "a route leads to at least one model")
    self.models = models
    self.runtime = runtime
  }

  func prepare(for prompt: ModelPrompt) async {
    await models[0].prepare(for: prompt)
  }

  func respond(to prompt: ModelPrompt) async throws(ProviderError) -> any ModelReply {
    var failure = ProviderError.unavailable("The route leads to no model.")
    for (place, model) in models.enumerated() {
      do throws(ProviderError) {
        let isLast = place == models.count - 1
        return try await begun(model, prompt, limit: isLast ? nil : Self.firstWordLimit)
      } catch {
        guard error != .cancelled else { throw error }
        failure = error
      }
    }
    throw failure
  }

  /// A reply whose first event is there.
  private func begun(_ model: any LanguageModel, _ prompt: ModelPrompt, limit: Duration?)
    async throws(ProviderError) -> any ModelReply
  {
    guard let limit else { return try await model.respond(to: prompt) }
    let opened = Mutex<(any ModelReply)?>(nil)
    let sentence = "The model had no word after \(Int(limit.milliseconds)) ms."
    do throws(ProviderError) {
      return try await withTimeLimit(limit, on: runtime, otherwise: sentence) {
        () throws(ProviderError) -> any ModelReply in
        let reply = try await model.respond(to: prompt)
        opened.withLock { $0 = reply }
        let first = try await reply.next()
        return Begun(reply: reply, first: first)
      }
    } catch {
      await opened.withLock({ $0 })?.cancel()
      throw error
    }
  }

  private final class Begun: ModelReply {
    private let reply: any ModelReply
    private let first: Mutex<ModelEvent??>

    init(reply: any ModelReply, first: ModelEvent?) {
      self.reply = reply
      self.first = Mutex(.some(first))
    }

    func next() async throws(ProviderError) -> ModelEvent? {
      let kept = first.withLock { first in
        defer { first = nil }
        return first
      }
      if let kept { return kept }
      return try await reply.next()
    }

    func cancel() async {
      await reply.cancel()
    }
  }
}
