/// A language model in a worker process.
///
/// The embedded model is no judge of when to call a tool: it calls one only when the tool choice
/// forces it, and then a grammar writes the call's form.
public struct WorkerLanguageModel: LanguageModel {
  /// Longest answer, in tokens, when the prompt does not say.
  private static let usualOutputTokens = 96

  private let supervisor: WorkerSupervisor

  public init(supervisor: WorkerSupervisor) {
    self.supervisor = supervisor
  }

  public func respond(to prompt: ModelPrompt) async throws(ProviderError) -> any ModelReply {
    let (request, isCall) = try Self.request(for: prompt)
    return try await ask(request, isCall: isCall)
  }

  public func prepare(for prompt: ModelPrompt) async {
    do throws(ProviderError) {
      var (request, _) = try Self.request(for: prompt)
      request.maxTokens = 0
      let reply = try await ask(request, isCall: false)
      while try await reply.next() != nil {}
    } catch {
      // The worker reads the prompt when it is asked in earnest, and says then what is wrong.
    }
  }

  private func ask(_ request: WorkerAnswerRequest, isCall: Bool) async throws(ProviderError)
    -> any ModelReply
  {
    let exchange = try await supervisor.open()
    await supervisor.send(
      WorkerCommand.startAnswer(request).frame(request: exchange.id), answerDue: true)
    return WorkerModelReply(supervisor: supervisor, exchange: exchange, isCall: isCall)
  }

  private static func request(for prompt: ModelPrompt) throws(ProviderError)
    -> (request: WorkerAnswerRequest, isCall: Bool)
  {
    let forced = try forcedTools(of: prompt)
    var dialogue = PlainDialogue(prompt.messages)
    if !forced.isEmpty { dialogue.askForCall(of: forced) }
    var request = WorkerAnswerRequest(
      messages: dialogue.messages,
      maxTokens: prompt.maxOutputTokens ?? usualOutputTokens,
      temperature: prompt.temperature ?? 0)
    if !forced.isEmpty { request.grammar = try ToolGrammar(tools: forced).text }
    return (request, !forced.isEmpty)
  }

  private static func forcedTools(of prompt: ModelPrompt) throws(ProviderError) -> [ModelTool] {
    switch prompt.toolChoice {
    case .automatic, .none: return []
    case .required: return prompt.tools
    case .tool(let name):
      let tools = prompt.tools.filter { $0.name == name }
      guard !tools.isEmpty else {
        throw .failed("The tool choice names \"\(name)\", which is no tool of this session.")
      }
      return tools
    }
  }
}
