import Networking
import Providers

/// An answer that is being made while it is not yet sure that the person is done: the model's words
/// and the first clause's speech.
///
/// Nobody sees any of it until a turn with the very same prompt takes it; otherwise it is cancelled
/// and leaves no trace.
final class AnswerAhead: Sendable {
  let prompt: ModelPrompt
  let words: AheadStream<ModelEvent>
  let clause: AheadClause

  init(prompt: ModelPrompt, runtime: any Runtime) {
    self.prompt = prompt
    words = AheadStream(runtime: runtime)
    clause = AheadClause()
  }

  func cancel() async {
    await words.cancel()
    await clause.speech?.cancel()
  }
}

/// The first clause of an answer and its speech. Role: the session's executor.
final class AheadClause: Sendable {
  // Read and written on the session's executor only.
  nonisolated(unsafe) private(set) var text = ""
  nonisolated(unsafe) private(set) var voice = ""
  nonisolated(unsafe) private(set) var speech: AheadStream<[Int16]>?
  /// It is being spoken: the cut of the turn takes it back.
  nonisolated(unsafe) var isTaken = false

  func set(_ text: String, voice: String, _ speech: AheadStream<[Int16]>) {
    self.text = text
    self.voice = voice
    self.speech = speech
  }
}
