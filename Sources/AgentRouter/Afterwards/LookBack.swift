import Networking
import Providers
import SessionsModel
import Stores

/// What models are asked about a conversation that has ended: what to remember of the user, and how
/// well the agent did.
struct LookBack: Sendable {
  struct Review: Sendable, Equatable {
    var score: Int
    var notes: String
  }

  /// What came of a question, and what it cost.
  struct Answer<Value: Sendable>: Sendable {
    var value: Value?
    var usage = SessionUsage()
    /// For the log.
    var problem: String?
  }

  static let factsAtMost = 5
  static let lengthOfAFact = 200
  /// Characters of a conversation that one request carries; a longer one is summarized in parts.
  static let charactersOfAPart = 12_000

  private static let memoryForm = ModelForm(
    name: .rememberUser,
    instructions: """
      Write down what is worth remembering about the user in later conversations: preferences, \
      facts about them, what they are working on. At most five short facts. Leave a field empty \
      when there is nothing to remember.
      """,
    properties: Dictionary(
      uniqueKeysWithValues: (1...factsAtMost).map { ("fact\($0)", ["type": "string"]) }),
    required: ["fact1"], maxOutputTokens: 300, timeLimit: .seconds(30))

  private static let summaryForm = ModelForm(
    name: .summarizePart,
    instructions: """
      Summarize this part of a conversation between a user and an agent: what the user wanted, what \
      the agent did, and whether it helped.
      """,
    properties: ["summary": ["type": "string"]], required: ["summary"], maxOutputTokens: 400,
    timeLimit: .seconds(90))

  private static let reviewForm = ModelForm(
    name: .reviewConversation,
    instructions: """
      Judge how well the agent handled the conversation, from 1 (not at all) to 5 (very well), and \
      say why in one or two sentences.
      """,
    properties: ["score": ["type": "integer"], "notes": ["type": "string"]],
    required: ["score", "notes"], maxOutputTokens: 500, timeLimit: .seconds(90))

  let environment: RouterEnvironment
  let agent: AgentConfiguration
  let record: SessionRecord
  let turns: [TurnRecord]

  /// The model of a route that is configured, else the session's own.
  static func model(
    _ route: String, of record: SessionRecord, _ agent: AgentConfiguration,
    _ providers: ProviderRegistry
  ) -> String {
    providers.languageModel(route) == nil ? record.settings.models.llm ?? agent.llm : route
  }

  private var lines: [ModelMessage] { turns.flatMap(History.messages(of:)) }

  /// A title and a description, where the session ended before it was named.
  func names() async -> Answer<ConversationNaming.Names> {
    await ask(
      ConversationNaming.form, about: ConversationNaming.opening(of: lines), route: "llm-fast",
      accept: ConversationNaming.names(in:))
  }

  /// At most five facts; empty when there is nothing to remember.
  func facts() async -> Answer<[String]> {
    await ask(Self.memoryForm, about: parts.last ?? "", route: "llm-fast") { fields in
      Self.facts(in: fields)
    }
  }

  static func facts(in fields: [String: JSONValue]) -> [String] {
    let listed = fields["facts"]?.arrayValue?.compactMap(\.stringValue) ?? []
    let numbered = fields.keys.filter { $0.hasPrefix("fact") && $0 != "facts" }.sorted()
      .compactMap { fields[$0]?.stringValue }
    let nothing: Set<String> = ["", "none", "nothing", "n/a"]
    return (listed + numbered)
      .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
      .filter { !nothing.contains($0.lowercased()) }
      .prefix(factsAtMost).map { ConversationNaming.cut($0, to: lengthOfAFact) }
  }

  /// A score and the reasons, from the whole conversation (R40).
  func review() async -> Answer<Review> {
    let parts = parts
    guard parts.count > 1 else { return await review(of: parts.first ?? "") }
    var usage = SessionUsage()
    var summaries: [String] = []
    for part in parts {
      let summary = await ask(Self.summaryForm, about: part, route: "llm-quality") {
        $0["summary"]?.stringValue
      }
      usage += summary.usage
      guard let text = summary.value, !Task.isCancelled else {
        return Answer(usage: usage, problem: summary.problem)
      }
      summaries.append(text)
    }
    var review = await review(of: summaries.joined(separator: "\n"))
    review.usage += usage
    return review
  }

  private func review(of conversation: String) async -> Answer<Review> {
    await ask(Self.reviewForm, about: conversation, route: "llm-quality") { fields in
      guard let score = fields["score"]?.intValue, (1...5).contains(score) else { return nil }
      return Review(score: score, notes: fields["notes"]?.stringValue ?? "")
    }
  }

  /// The conversation, cut between messages.
  private var parts: [String] {
    var parts = [""]
    for message in lines {
      let line = "\(message.role.rawValue): \(message.content)\n"
      if let last = parts.last, !last.isEmpty,
        last.count + line.count > Self.charactersOfAPart
      {
        parts.append("")
      }
      parts[parts.count - 1] += ConversationNaming.cut(line, to: Self.charactersOfAPart)
    }
    return parts
  }

  private func ask<Value: Sendable>(
    _ form: ModelForm, about conversation: String, route: String,
    accept: @Sendable ([String: JSONValue]) -> Value?
  ) async -> Answer<Value> {
    let name = Self.model(route, of: record, agent, environment.providers)
    guard let model = environment.providers.languageModel(name) else { return Answer() }
    let outcome = await form.ask(
      about: conversation, of: model, on: environment.runtime, accept: accept)
    var answer = Answer<Value>(value: outcome.value)
    for request in outcome.requests { answer.usage += agent.charge(for: name, request) }
    if outcome.value == nil, !outcome.wasCancelled { answer.problem = outcome.problem }
    return answer
  }
}

extension TurnRecord {
  /// Somebody asked something; a greeting or a `say` does not count (R45).
  var isOfUser: Bool { origin != .say }
}
