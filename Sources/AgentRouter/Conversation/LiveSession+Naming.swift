import Networking
import Providers
import SessionsModel
import Stores

// Titles and descriptions (R39, R42, R43), and what is remembered of the user.
extension LiveSession {
  /// On a call the model is left alone until nobody has spoken for this long: the next answer must
  /// not wait for a title.
  private static let quietOnACall = Duration.seconds(4)
  private static let memoriesAtMost = 20

  /// An answer was given.
  func countAnswer() {
    record.answers += 1
    guard !record.incognito, ConversationNaming.isDue(afterAnswer: record.answers) else { return }
    record.isNamingDue = true
  }

  /// Names the session if that is due and nobody waits for the model.
  func nameWhenQuiet() {
    guard record.isNamingDue, naming == nil, reply == nil, !isEnding else { return }
    guard !(record.labels.isTitleFrozen && record.labels.isDescriptionFrozen) else {
      record.isNamingDue = false
      return
    }
    let quiet = room.publisher == nil ? Duration.zero : Self.quietOnACall
    naming = runtime.task {
      do {
        if quiet > .zero { try await self.runtime.sleep(for: quiet) }
      } catch {
        return  // Somebody spoke; the next quiet moment will do.
      }
      await self.name()
    }
  }

  /// Somebody speaks or asks: the model is theirs.
  func stopNaming() {
    naming?.cancel()
    naming = nil
  }

  private func name() async {
    let name = LookBack.model("llm-fast", of: record, agent, environment.providers)
    guard let model = environment.providers.languageModel(name), !Task.isCancelled else { return }
    let answers = record.answers
    let outcome = await ConversationNaming.form.ask(
      about: ConversationNaming.opening(of: history.opening), of: model, on: runtime,
      accept: ConversationNaming.names(in:))
    for request in outcome.requests { charge(name, request) }
    guard !Task.isCancelled, !isEnding else { return }
    naming = nil
    if record.answers == answers { record.isNamingDue = false }
    guard let names = outcome.value else {
      if let problem = outcome.problem { environment.onLog("The session \(record.id): \(problem)") }
      return
    }
    let before = record.labels
    record.apply(names)
    bill()
    guard record.labels != before else { return }
    writer.write([.save(record)])
    announceLabels()
  }

  /// Tells watchers what the session is called now.
  func announceLabels() {
    emit(
      .sessionUpdated,
      [
        "title": .string(record.labels.title ?? ""),
        "description": .string(record.labels.description ?? ""),
      ])
  }

  /// Reads what earlier sessions of the user with this agent taught.
  func recall() async {
    guard !record.owner.userID.isEmpty else { return }
    do throws(StoreError) {
      recalled = try await environment.store.memories(
        of: record.owner, agent: record.agent, app: record.app, limit: Self.memoriesAtMost
      ).map(\.text)
    } catch {
      environment.onLog("The session \(record.id): \(error)")
    }
  }

  /// The instructions with what is remembered.
  func instructions(_ settings: SessionSettings) -> String {
    let own = settings.instructions ?? agent.instructions
    guard let recalled, !recalled.isEmpty else { return own }
    let facts = recalled.map { "- \($0)" }.joined(separator: "\n")
    return own + (own.isEmpty ? "" : "\n\n")
      + "What you remember of this user from earlier conversations:\n\(facts)"
  }
}
