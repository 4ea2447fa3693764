public import AgentRouter
public import Networking
public import Providers
import Synchronization

/// A model that answers by a table from the person's last words, word by word.
public final class ScriptedLanguageModel: LanguageModel {
  private let runtime: any Runtime
  private let answers: [String: String]
  private let firstToken: Duration
  private let perToken: Duration
  private let wordsBeforeCall: String
  private let faults: FaultPlan
  private let forms: [ModelForm.Name: String]
  private let formLog = Mutex<[ModelPrompt]>([])
  private let log = Mutex<[ModelPrompt]>([])
  private let readAhead = Mutex<[ModelPrompt]>([])
  private let stops = Mutex<[MonotonicInstant]>([])

  /// - Parameters:
  ///   - answers: from the person's words to the reply; anything else is answered by "I heard …".
  ///   - firstToken: from the request to the first word.
  ///   - perToken: from word to word.
  ///   - forms: what it fills in, as JSON text; forms that are not named stay empty.
  ///   - wordsBeforeCall: what it says before it calls a tool.
  public init(
    runtime: any Runtime, answers: [String: String], firstToken: Duration = .milliseconds(60),
    perToken: Duration = .milliseconds(8), wordsBeforeCall: String = "",
    forms: [ModelForm.Name: String] = [:], faults: FaultPlan = FaultPlan()
  ) {
    self.forms = forms
    self.runtime = runtime
    self.answers = answers
    self.firstToken = firstToken
    self.perToken = perToken
    self.wordsBeforeCall = wordsBeforeCall
    self.faults = faults
  }

  /// Every prompt the model was given, in order.
  public var prompts: [ModelPrompt] { log.withLock { $0 } }

  /// When replies were cancelled before they were whole, in order.
  public var stoppedAt: [MonotonicInstant] { stops.withLock { $0 } }

  /// Every prompt it was let to read ahead, in order.
  public var prepared: [ModelPrompt] { readAhead.withLock { $0 } }

  /// Every form it was asked to fill in, in order; these are not among ``prompts``.
  public var filledForms: [ModelPrompt] { formLog.withLock { $0 } }

  public func prepare(for prompt: ModelPrompt) async {
    readAhead.withLock { $0.append(prompt) }
  }

  public func respond(to prompt: ModelPrompt) async throws(ProviderError) -> any ModelReply {
    if case .tool(let name) = prompt.toolChoice, let form = ModelForm.Name(rawValue: name) {
      formLog.withLock { $0.append(prompt) }
      let events = forms[form].map {
        [ModelEvent.toolCall(ModelToolCall(id: "form", name: name, arguments: $0))]
      }
      return Reply(
        model: self, events: events ?? [], input: prompt.messages.count * 8, fault: nil)
    }
    let number = log.withLock { log in
      log.append(prompt)
      return log.count - 1
    }
    return Reply(
      model: self, events: script(for: prompt), input: prompt.messages.count * 8,
      fault: faults.byRequest[number])
  }

  /// What the model will say: a forced tool's call, or the table's words.
  private func script(for prompt: ModelPrompt) -> [ModelEvent] {
    if case .tool(let name) = prompt.toolChoice {
      return words(wordsBeforeCall)
        + [.toolCall(ModelToolCall(id: "call-1", name: name, arguments: #"{"order":"1042"}"#))]
    }
    if let last = prompt.messages.last, last.role == .tool {
      return words("The tool says: \(last.content).")
    }
    let asked = prompt.messages.last { $0.role == .user }?.content ?? ""
    return words(answers[asked] ?? "I heard \(asked).")
  }

  private func words(_ text: String) -> [ModelEvent] {
    text.split(separator: " ").enumerated().map { .text($0 == 0 ? String($1) : " \($1)") }
  }

  private final class Reply: ModelReply {
    private let model: ScriptedLanguageModel
    private let events: [ModelEvent]
    private let input: Int
    private let fault: ProviderFault?
    private let position = Mutex((next: 0, cancelled: false))

    init(model: ScriptedLanguageModel, events: [ModelEvent], input: Int, fault: ProviderFault?) {
      self.model = model
      self.events = events
      self.input = input
      self.fault = fault
    }

    func next() async throws(ProviderError) -> ModelEvent? {
      let index = position.withLock { position in
        position.next += 1
        return position.next - 1
      }
      if index == 0 {
        try await ScriptedDelay.pass(model.firstToken, fault: fault, runtime: model.runtime)
      } else if index < events.count {
        try await ScriptedDelay.sleep(for: model.perToken, model.runtime)
      }
      if position.withLock({ $0.cancelled }), !isLate { throw .cancelled }
      if index < events.count { return events[index] }
      if fault == .duplicate, index == events.count + 1 { return events.last }
      guard index == events.count else { return nil }
      return .finished(ModelUsage(inputTokens: input, outputTokens: events.count))
    }

    private var isLate: Bool {
      if case .late = fault { return true }
      return false
    }

    func cancel() async {
      let wasRunning = position.withLock { position in
        defer { position.cancelled = true }
        return !position.cancelled && position.next <= events.count
      }
      if wasRunning { model.stops.withLock { $0.append(model.runtime.now) } }
    }
  }
}
