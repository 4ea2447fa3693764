import Networking
import Providers
import SessionsModel
import Stores

// Asks the model and follows its answer.
extension LiveSession {
  func askModel(_ turnID: String, step: Int) {
    guard reply?.turn.id == turnID else { return }
    reply?.stepText = ""
    reply?.calls = []
    reply?.lastProgress = runtime.now
    reply?.task = runtime.task { await self.follow(turnID, step: step) }
    watchModel(turnID, step: step)
  }

  private func follow(_ turnID: String, step: Int) async {
    let name = reply.map { modelName($0.settings) } ?? agent.llm
    guard let model = model(named: name, reply?.settings ?? record.settings) else {
      fail(turnID, .init(.model, "The model \"\(name)\" leads to no provider of this router."))
      return
    }
    if recalled == nil { await recall() }
    await waitForLastReport()
    guard let prompt = prompt(turnID, step: step) else { return }
    let ahead = step == 0 ? takeAhead(for: prompt) : nil
    reply?.ahead = ahead
    if step == 0 {
      reply?.timings.modelAskedAt = ahead?.words.askedAt ?? runtime.now
      reply?.timings.firstTokenAt = ahead?.words.firstAt
    }
    do throws(ProviderError) {
      let answer: any ModelReply
      if let ahead { answer = ahead.words } else { answer = try await model.respond(to: prompt) }
      guard isAnswering(turnID) else {
        await answer.cancel()
        return
      }
      reply?.modelReply = answer
      while let event = try await answer.next() {
        guard isAnswering(turnID) else {
          await answer.cancel()
          return
        }
        await take(event, turnID, of: name)
        // Whatever a provider repeats behind its end is no part of the answer.
        if case .finished = event { break }
      }
      guard isAnswering(turnID) else { return }
      reply?.modelReply = nil
      stepEnded(turnID)
    } catch {
      charge(name, nil)
      guard isAnswering(turnID) else { return }
      reply?.modelReply = nil
      fail(turnID, TurnFailure(.model, error.description))
    }
  }

  /// The name the model of a turn is asked by: a speech-to-speech model answers in its own session.
  func modelName(_ settings: SessionSettings) -> String {
    settings.models.sts ?? settings.models.llm ?? agent.llm
  }

  func model(named name: String, _ settings: SessionSettings) -> (any LanguageModel)? {
    settings.models.sts == nil
      ? environment.providers.languageModel(name) : environment.providers.speechToSpeech(name)
  }

  private func take(_ event: ModelEvent, _ turnID: String, of model: String) async {
    reply?.lastProgress = runtime.now
    switch event {
    case .text(let text):
      wrote(text, turnID: turnID)
      await waitForSpeech(turnID)
    case .speech(let samples, let rate): await speakNatively(samples, rate: rate, turnID)
    case .toolCall(let call): reply?.calls.append(call)
    case .finished(let usage):
      charge(model, usage)
    }
  }

  /// New words of the running turn: shown at once, spoken as soon as a piece is complete.
  func wrote(_ text: String, turnID: String) {
    guard let turn = reply?.turn, turn.id == turnID, !text.isEmpty else { return }
    if reply?.timings.firstTokenAt == nil { reply?.timings.firstTokenAt = runtime.now }
    reply?.text += text
    reply?.stepText += text
    emit(.responseDelta, ["text": .string(text)], of: turn)
    showGenerating()
    speak(text)
  }

  private func stepEnded(_ turnID: String) {
    // What was said so far is spoken while the tools run, and what follows begins anew.
    if reply?.calls.isEmpty == false, reply?.stepText.isEmpty == false {
      wrote("\n", turnID: turnID)
    }
    guard let state = reply, state.turn.id == turnID else { return }
    if !state.calls.isEmpty {
      reply?.messages.append(
        ModelMessage(.assistant, state.stepText, toolCalls: state.calls))
    }
    emitResponded(pendingWork: !state.calls.isEmpty)
    perform(turns.modelAnswered(turnID, calls: state.calls))
  }

  func fail(_ turnID: String, _ failure: TurnFailure) {
    perform(turns.failed(turnID, failure))
  }

  func isAnswering(_ turnID: String) -> Bool {
    reply?.turn.id == turnID && reply?.failure == nil
  }

  private func prompt(_ turnID: String, step: Int) -> ModelPrompt? {
    guard let state = reply, state.turn.id == turnID else { return nil }
    // A forced call is made once; after its result the model is to answer.
    return prompt(
      present: state.messages, choice: step > 0 ? nil : state.turn.toolChoice ?? agent.toolChoice,
      state.settings)
  }

  /// Lets the model read what is known of the next prompt, if it can and nobody waits for it.
  func prepareModel(for present: [ModelMessage]) {
    guard reply == nil,
      let model = model(named: modelName(record.settings), record.settings)
    else { return }
    guard present.isEmpty else {
      let prompt = prompt(present: present, choice: agent.toolChoice, record.settings)
      runtime.task { await model.prepare(for: prompt) }
      return
    }
    // The first of a turn: what is remembered belongs to the beginning of the prompt.
    runtime.task {
      await self.recall()
      let prompt = await self.prompt(
        present: present, choice: self.agent.toolChoice, self.record.settings)
      await model.prepare(for: prompt)
    }
  }

  func prompt(
    present: [ModelMessage], choice: String?, _ settings: SessionSettings
  ) -> ModelPrompt {
    let models = settings.models
    let offered = offeredTools
    return ModelPrompt(
      messages: history.messages(
        instructions: instructions(settings), present: present),
      tools: offered,
      toolChoice: offered.isEmpty ? .automatic : Self.toolChoice(choice),
      maxOutputTokens: models.maxOutputTokens, temperature: models.temperature,
      thinking: models.thinking?.rawValue, verbosity: models.verbosity?.rawValue)
  }

  private static func toolChoice(_ text: String?) -> ModelToolChoice {
    switch text {
    case nil, "", "auto": .automatic
    case "none": ModelToolChoice.none
    case "required": .required
    case .some(let name): .tool(name: name)
    }
  }

  /// Fails a turn whose model says nothing for too long, whatever its provider's own limits are.
  private func watchModel(_ turnID: String, step: Int) {
    runtime.task {
      while let left = await self.modelTimeLeft(turnID, step: step) {
        // Only a cancelled task wakes early, and nobody cancels this one.
        try? await self.runtime.sleep(for: left)
      }
    }
  }

  /// How long the model of a step may still stay silent; nil when nobody waits for it.
  private func modelTimeLeft(_ turnID: String, step: Int) async -> Duration? {
    guard isAnswering(turnID), turns.isThinking(turnID, step: step) else { return nil }
    guard let last = reply?.lastProgress else { return nil }
    let left = Self.modelSilenceLimit - (runtime.now - last)
    if left > .zero { return left }
    let answer = reply?.modelReply
    reply?.task?.cancel()
    fail(
      turnID,
      TurnFailure(.model, "The model said nothing for \(Self.modelSilenceLimit.milliseconds) ms."))
    await answer?.cancel()
    return nil
  }
}
