import Networking
import SessionsModel

/// A tool at work, and its time limit.
struct RunningTool {
  let task: Task<Void, Never>
  let limit: ScheduledAction
}

// Running the tools the agent asks for.
extension SessionConnection {
  func perform(_ actions: [ToolCalls.Action]) async {
    for action in actions {
      switch action {
      case .run(let call): run(call)
      case .stop(let id): stop(id)
      case .send(let frame): _ = await trySend(frame)
      }
    }
  }

  private func run(_ call: ToolCall) {
    guard let tool = tools[call.name] else { return }
    // Detached from this actor: a tool that blocks must not hold up the session's socket.
    let task = Task.detached(executorPreference: client.environment.appExecutor) {
      do {
        let output = try await tool.run(call.arguments)
        await self.finished(call.id, output: output, error: "")
      } catch {
        await self.finished(call.id, output: "", error: "\(call.name) failed: \(error)")
      }
    }
    let seconds = ToolCalls.timeLimit.components.seconds
    let limit = runtime.after(ToolCalls.timeLimit) {
      self.runtime.task {
        await self.finished(
          call.id, output: "", error: "\(call.name) gave no answer within \(seconds) seconds")
      }
    }
    runningTools[call.id] = RunningTool(task: task, limit: limit)
  }

  private func stop(_ id: String) {
    guard let running = runningTools.removeValue(forKey: id) else { return }
    running.task.cancel()
    running.limit.cancel()
  }

  private func finished(_ id: String, output: String, error: String) async {
    await perform(calls.finished(id, output: output, error: error))
  }
}
