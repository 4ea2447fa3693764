import Networking
import Providers
import SessionsModel
import Stores

/// A skill at work.
struct SkillTask {
  var id: String
  var skill: String
  var question: String
  var startedAt: MonotonicInstant
  var work: Task<Void, Never>
}

extension SkillConfiguration {
  /// The skill as the agent's model is offered it.
  var offer: ModelTool {
    let parameters: JSONValue = [
      "type": "object",
      "properties": [
        "prompt": ["type": "string", "description": "What is to be done, in full sentences."]
      ],
      "required": ["prompt"],
    ]
    return ModelTool(name: name, description: description, parameters: parameters.serializedText)
  }
}

// Skills: work the agent delegates to a model of its own. The turn waits for it, so that `working` and
// `pending_work` are true for as long as it takes.
extension LiveSession {
  func delegate(_ call: ModelToolCall, to skill: SkillConfiguration, _ turnID: String) {
    guard let turn = reply?.turn, turn.id == turnID else { return }
    // Arguments a model garbled are the question as they are.
    let question =
      (try? JSONValue.parse(call.arguments))?["prompt"]?.stringValue ?? call.arguments
    let task = SkillTask(
      id: runtime.makeID(), skill: skill.name, question: question, startedAt: runtime.now,
      work: runtime.task { await self.work(on: call, skill, question) })
    skillTasks[call.id] = task
    emit(
      .delegated,
      [
        "task_id": .string(task.id), "skill": .string(skill.name), "prompt": .string(question),
      ], of: turn)
  }

  func cancel(_ task: SkillTask, reason: String, of turn: Turn) {
    task.work.cancel()
    emit(
      .taskCancelled,
      [
        "task_id": .string(task.id), "skill": .string(task.skill), "reason": .string(reason),
      ], of: turn)
  }

  private func work(
    on call: ModelToolCall, _ skill: SkillConfiguration, _ question: String
  ) async {
    let settings = reply?.settings ?? record.settings
    let name = skill.llm.isEmpty ? settings.models.llm ?? agent.llm : skill.llm
    var result = PendingTools.Result(output: "", error: "")
    if let model = environment.providers.languageModel(name) {
      let work = SkillWork(
        skill: skill, question: question, limit: .milliseconds(skill.timeoutMilliseconds))
      let outcome = await work.run(model, runtime)
      charge(name, outcome.usage)
      (result.output, result.error) = (outcome.text, outcome.error)
    } else {
      result.error = "the model \"\(name)\" of the skill leads to no provider of this router"
    }
    // Taken back meanwhile: nobody waits for it.
    guard let task = skillTasks.removeValue(forKey: call.id) else { return }
    emit(
      .taskSettled,
      [
        "task_id": .string(task.id), "skill": .string(skill.name),
        "text": .string(result.output), "question": .string(question),
        "elapsed_ms": .double((runtime.now - task.startedAt).milliseconds),
        "error": .string(result.error), "evidence": "", "worker": .string(name), "files": [],
      ], of: reply?.turn)
    settle(call.id, result)
  }
}

/// One skill's request to its model.
private struct SkillWork: Sendable {
  struct Outcome {
    var text = ""
    var error = ""
    var usage: ModelUsage?
  }

  var skill: SkillConfiguration
  var question: String
  var limit: Duration

  func run(_ model: any LanguageModel, _ runtime: any Runtime) async -> Outcome {
    let prompt = ModelPrompt(
      messages: [ModelMessage(.system, skill.instructions), ModelMessage(.user, question)])
    let running = RunningReply()
    do throws(ProviderError) {
      let (text, usage) = try await withTimeLimit(
        limit, on: runtime, otherwise: "It was not done within \(limit.milliseconds) ms."
      ) { () throws(ProviderError) -> (String, ModelUsage?) in
        let reply = try await model.respond(to: prompt)
        running.set(reply)
        var (text, usage) = ("", ModelUsage?.none)
        while usage == nil, let event = try await reply.next() {
          switch event {
          case .text(let piece): text += piece
          case .toolCall, .speech: break
          case .finished(let used): usage = used
          }
        }
        return (text, usage)
      }
      return Outcome(text: text, usage: usage)
    } catch {
      await running.cancel()
      return Outcome(error: error.description)
    }
  }
}
