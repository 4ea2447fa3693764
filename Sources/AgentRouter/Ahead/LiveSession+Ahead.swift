import Networking
import Providers
import SessionsModel
import Stores

// Answers ahead of the decision that the person is done, behind one gate: an answer is shown, heard,
// remembered and charged only when a turn with the same prompt takes it.
extension LiveSession {
  /// Lets the model, and the voice for its first clause, begin on provisional words.
  func answerAhead(_ text: String) {
    guard !isEnding, reply == nil, !text.isEmpty, agent.turn.isAhead, mediaCall != nil,
      !speaksItself(record.settings)
    else {
      return
    }
    let prompt = prompt(
      present: [ModelMessage(.user, text)], choice: agent.toolChoice, record.settings)
    if let ahead {
      guard ahead.prompt != prompt else { return }
      forgetAhead()
    }
    let answer = AnswerAhead(prompt: prompt, runtime: runtime)
    ahead = answer
    aheadCounters.begun += 1
    runtime.task { await self.readAhead(answer) }
  }

  private func readAhead(_ answer: AnswerAhead) async {
    guard let model = model(named: modelName(record.settings), record.settings) else {
      return answer.words.fail(.unavailable("The session's model leads to no provider."))
    }
    var chunker = SentenceChunker()
    do throws(ProviderError) {
      let reply = try await model.respond(to: answer.prompt)
      await answer.words.read(cancel: { await reply.cancel() }) { event in
        guard answer.clause.speech == nil, case .text(let text) = event,
          let piece = chunker.take(text).first ?? chunker.likelyFirstPiece
        else { return }
        speakAhead(piece, answer)
      } _: { () throws(ProviderError) -> ModelEvent? in
        try await reply.next()
      }
      // A reply of one sentence has no boundary before its end.
      if answer.clause.speech == nil, let rest = chunker.flush() { speakAhead(rest, answer) }
    } catch {
      answer.words.fail(error)
    }
  }

  private func speakAhead(_ piece: String, _ answer: AnswerAhead) {
    guard ahead === answer || reply?.ahead === answer else { return }
    var speakable = SpeakableText()
    let text = speakable.spoken(piece)
    let voiceName = record.settings.voice ?? agent.voice
    guard !text.isEmpty,
      let voice = environment.providers.textToSpeech(record.settings.models.tts ?? agent.tts)
    else { return }
    let speech = AheadStream<[Int16]>(runtime: runtime)
    answer.clause.set(text, voice: voiceName, speech)
    runtime.task {
      do throws(ProviderError) {
        let spoken = try await voice.speak(text, voice: voiceName)
        speech.gives(spoken)
        await speech.read(cancel: { await spoken.cancel() }) {
          () throws(ProviderError) -> [Int16]? in
          let samples = try await spoken.next()
          speech.keep(rate: await spoken.rate)
          return samples
        }
      } catch {
        speech.fail(error)
      }
    }
  }

  /// Opens the gate: the answer begun ahead, if it answers this prompt.
  func takeAhead(for prompt: ModelPrompt) -> AnswerAhead? {
    guard let answer = ahead else { return nil }
    guard answer.prompt == prompt, !answer.words.hasFailed else {
      forgetAhead()
      return nil
    }
    ahead = nil
    aheadCounters.taken += 1
    return answer
  }

  /// The speech of a reply's first piece, if it was made ahead in the same words and voice.
  func takeAheadSpeech(_ text: String, voice: String) -> AheadStream<[Int16]>? {
    guard let clause = reply?.ahead?.clause, let speech = clause.speech else { return nil }
    guard clause.text == text, clause.voice == voice, !clause.isTaken, !speech.hasFailed else {
      // What looked like a whole sentence was none.
      if !clause.isTaken { runtime.task { await speech.cancel() } }
      return nil
    }
    clause.isTaken = true
    return speech
  }

  /// The person went on, or nobody is there any more.
  func forgetAhead() {
    guard let answer = ahead else { return }
    ahead = nil
    aheadCounters.forgotten += 1
    runtime.task { await answer.cancel() }
  }
}

/// How often answering ahead was worth it.
struct AheadCounters: Equatable {
  var begun = 0
  var taken = 0
  var forgotten = 0
}
