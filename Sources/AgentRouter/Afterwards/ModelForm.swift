import Networking
import Providers
import SessionsModel

/// A few fields that a model fills in, as a forced call, so that a grammar or a schema holds its form.
public struct ModelForm: Sendable {
  /// The forms there are, by the name of their call.
  public enum Name: String, Sendable, CaseIterable {
    case nameConversation = "name_conversation"
    case rememberUser = "remember_user"
    case summarizePart = "summarize_part"
    case reviewConversation = "review_conversation"
  }

  /// A form that was filled in wrongly is asked for once more (contract part 2, "Titles").
  static let attempts = 2

  var name: Name
  /// What the model is told before the conversation.
  var instructions: String
  /// Properties of a JSON Schema, by name.
  var properties: [String: JSONValue]
  var required: [String]
  var maxOutputTokens: Int
  var timeLimit: Duration

  /// What came of asking.
  struct Outcome<Value: Sendable>: Sendable {
    /// Nil when nothing usable was filled in.
    var value: Value?
    /// One for each request; nil for one that failed.
    var requests: [ModelUsage?] = []
    /// Why there is no value, for the log.
    var problem: String?
    var wasCancelled = false
  }

  /// Asks a model until `accept` takes what it filled in, twice at most.
  func ask<Value: Sendable>(
    about conversation: String, of model: any LanguageModel, on runtime: any Runtime,
    accept: @Sendable ([String: JSONValue]) -> Value?
  ) async -> Outcome<Value> {
    var outcome = Outcome<Value>()
    for _ in 1...Self.attempts {
      do throws(ProviderError) {
        let (fields, usage) = try await fill(conversation, model, runtime)
        outcome.requests.append(usage)
        if let value = fields.flatMap(accept) {
          outcome.value = value
          return outcome
        }
        outcome.problem = "the model did not fill in \(name.rawValue) as asked"
      } catch {
        outcome.requests.append(nil)
        outcome.problem = error.description
        if error == .cancelled || Task.isCancelled {
          outcome.wasCancelled = true
          return outcome
        }
      }
    }
    return outcome
  }

  private func prompt(_ conversation: String) -> ModelPrompt {
    let schema: JSONValue = [
      "type": "object", "properties": .object(properties),
      "required": .array(required.map { .string($0) }),
    ]
    return ModelPrompt(
      messages: [ModelMessage(.system, instructions), ModelMessage(.user, conversation)],
      tools: [
        ModelTool(
          name: name.rawValue, description: instructions, parameters: schema.serializedText)
      ],
      toolChoice: .tool(name: name.rawValue), maxOutputTokens: maxOutputTokens, temperature: 0,
      thinking: "none")
  }

  private func fill(
    _ conversation: String, _ model: any LanguageModel, _ runtime: any Runtime
  ) async throws(ProviderError) -> (fields: [String: JSONValue]?, usage: ModelUsage?) {
    let prompt = prompt(conversation)
    let running = RunningReply()
    do throws(ProviderError) {
      return try await withTimeLimit(
        timeLimit, on: runtime,
        otherwise: "The model did not fill in \(name.rawValue) within \(timeLimit.milliseconds) ms."
      ) { () throws(ProviderError) -> (fields: [String: JSONValue]?, usage: ModelUsage?) in
        let reply = try await model.respond(to: prompt)
        running.set(reply)
        return try await Self.read(reply)
      }
    } catch {
      // A reply nobody reads would keep one of the model's few places.
      await running.cancel()
      throw error
    }
  }

  private static func read(
    _ reply: any ModelReply
  ) async throws(ProviderError) -> (fields: [String: JSONValue]?, usage: ModelUsage?) {
    var text = ""
    var usage: ModelUsage?
    while let event = try await reply.next() {
      switch event {
      case .text(let piece): text += piece
      case .speech: break
      case .toolCall(let call): text = call.arguments
      case .finished(let used): usage = used
      }
      if usage != nil { break }
    }
    return (fields(in: text), usage)
  }

  /// The object in what a model wrote; some put words or a fence around it.
  private static func fields(in text: String) -> [String: JSONValue]? {
    guard let first = text.firstIndex(of: "{"), let last = text.lastIndex(of: "}"), first < last
    else { return nil }
    // What is no JSON was filled in wrongly, and is asked for again.
    return (try? JSONValue.parse(String(text[first...last])))?.objectValue
  }
}
