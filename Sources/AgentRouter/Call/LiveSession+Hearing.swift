import CMediaTransport
import CVoiceDSP
import Networking
import Providers
import SessionsModel
import Stores

// Hears the person on the call and turns what was said into turns.
extension LiveSession {
  /// Speech of fewer windows than this (about 100 ms) is no turn, whatever a recogniser makes of it.
  static let windowsOfATurn = 3

  /// Packets held for a listener whose media are down: 10 s, of more the oldest are dropped.
  static let heldPacketsAtMost = 500

  /// Sound that was captured before a mute may arrive this much later: the mute is told over another
  /// socket.
  static let muteGrace = Duration.milliseconds(300)

  /// After so long without any sound an utterance is over: the microphone is gone.
  static let hearingPatience = Duration.seconds(3)

  /// From the end of an utterance to its words: a small machine with a big model needs seconds.
  static let recogniserLimit = Duration.seconds(9)

  /// The media plane has something to take.
  func mediaIsReady() {
    guard let mediaCall else { return }
    for window in mediaCall.takeHearing() { hear(window) }
    let packets = mediaCall.takePackets()
    guard !packets.isEmpty else { return }
    if let generation = packets.first(where: { $0.kind == 1 })?.generation,
      isSpeaking(generation), reply?.timings.firstAudioSentAt == nil
    {
      reply?.timings.firstAudioSentAt = runtime.now
    }
    for pump in media.values { pump.send(packets) }
    if let publisher = room.publisher, media[publisher.id] == nil { hold(packets) }
  }

  /// Keeps speech that is due while its listener's media are down.
  private func hold(_ packets: [vd_packet]) {
    heldSpeech += packets
    if heldSpeech.count > Self.heldPacketsAtMost {
      heldSpeech.removeFirst(heldSpeech.count - Self.heldPacketsAtMost)
    }
  }

  /// The listener's media are there again: what it missed comes first.
  func sendHeldSpeech(to pump: MediaPump, of participant: String) {
    guard room.publisher?.id == participant else { return }
    let current = heldSpeech.filter { isSpeaking($0.generation) }
    heldSpeech.removeAll()
    if !current.isEmpty { pump.send(current) }
  }

  private func hear(_ window: mt_hearing) {
    guard let publisher = room.publisher, !isLeavingCall else { return }
    var samples = withUnsafeBytes(of: window.samples) { Array($0.bindMemory(to: Int16.self)) }
    var (probability, level) = (window.probability, window.level)
    if let mutedAt = publisher.mutedAt, runtime.now - mutedAt > Self.muteGrace {
      // What was said before the mute is answered; nothing that comes now is listened to.
      guard hearing.isSpeaking else { return }
      samples = [Int16](repeating: 0, count: samples.count)
      (probability, level) = (0, 0)
    }
    hearing.heardAt = runtime.now
    let event = hearing.take(first: window.first_sample, samples: samples, probability: probability)
    showLevel(of: publisher, level)
    take(event)
  }

  func take(_ event: Hearing.Event?) {
    switch event {
    case nil: break
    case .began(let number): beganSpeaking(number)
    case .ended(let number, let utterance): stoppedSpeaking(number, utterance)
    }
  }

  private func beganSpeaking(_ number: Int) {
    guard let audio = hearing.listening?.audio else { return }
    emit(.hearing, ["participant": participantValue, "text": "", "language": ""])
    takeBackUnheardAnswer()
    recognitions[number] = Recognition(judge: TurnJudge(agent.turn, isPunctuated: isPunctuated))
    stopNaming()
    runtime.task { await self.recognise(number, audio) }
    // What is remembered belongs to the prompt; the answer may begin before the turn.
    if recalled == nil { runtime.task { await self.recall() } }
    prepareModel(for: [])
    endIfForsaken(number)
  }

  /// Ends an utterance whose sound stopped coming: a lost microphone, a link that is down.
  private func endIfForsaken(_ number: Int) {
    runtime.after(Self.hearingPatience) { [weak self] in
      self?.assumeIsolated { session in
        guard session.hearing.listening?.number == number else { return }
        let quiet = session.hearing.heardAt.map { session.runtime.now - $0 } ?? .zero
        if quiet >= Self.hearingPatience {
          session.take(session.hearing.end())
        } else {
          session.endIfForsaken(number)
        }
      }
    }
  }

  private func stoppedSpeaking(_ number: Int, _ utterance: EndpointDetector.Utterance) {
    recognitions[number]?.utterance = utterance
    recognitions[number]?.decidedAt = runtime.now
    watchRecogniser(number)
  }

  /// Follows one utterance from its first window to its words.
  ///
  /// Words are looked for as soon as the person pauses. If that was the end they are there when the
  /// turn is decided; if the person goes on they are thrown away, and nobody ever sees them.
  private func recognise(_ number: Int, _ audio: Inbox<Hearing.Piece>) async {
    defer { recognitions[number] = nil }
    var said: [[Int16]] = []
    var request: (any TranscriptionRequest)?
    var early: EarlyWords?
    var windowsOfPause = 0
    do throws(ProviderError) {
      // A recogniser that cannot begin is asked once more at the end, and then told of.
      request = try? await begin()
      while let piece = try await audio.next() {
        switch piece {
        case .samples(let samples):
          said.append(samples)
          if early == nil { await request?.append(samples) }
          windowsOfPause += 1
          if windowsOfPause == Self.windowsUntilJudgedAgain { judgeAgain(said, number) }
        case .quieted:
          early = request.map { findEarly($0, number) }
        case .paused(let pause):
          recognitions[number]?.paused(number: pause)
          windowsOfPause = 0
          if early == nil {
            early = request.map { findEarly($0, number) }
          } else {
            weighEarlyWords(number)
          }
          judge(said, number, pause)
        case .resumed:
          recognitions[number]?.resumed()
          forgetAhead()
          guard let abandoned = early else { continue }
          early = nil
          await abandoned.request.cancel()
          request = try? await begin()
          for samples in said { await request?.append(samples) }
        }
      }
      let transcript = try await transcribe(said, request, early)
      try await admitSpoken(transcript)
      heard(transcript, number, said)
    } catch {
      // A request left open would keep one of the recogniser's few places for ever.
      await request?.cancel()
      await early?.request.cancel()
      // Nobody waits any more when the limit has passed and the apology was said.
      guard error != .cancelled, !isEnding, recognitions[number] != nil else { return }
      emitError(TurnFailure(.recogniser, error.description))
      apologize()
    }
  }

  /// Looks for the words of what was said so far, and lets the model read them ahead.
  private func findEarly(_ request: any TranscriptionRequest, _ number: Int) -> EarlyWords {
    let silence = recognitions[number]?.silence
    let words = runtime.task { () -> Result<Transcript, ProviderError> in
      do throws(ProviderError) {
        let transcript = try await self.finish(request)
        await self.foundEarly(transcript, number, silence)
        return .success(transcript)
      } catch {
        return .failure(error)
      }
    }
    return EarlyWords(request: request, words: words)
  }

  private func foundEarly(_ transcript: Transcript, _ number: Int, _ silence: Int?) {
    // Words of before the person went on are half the truth.
    guard let recognition = recognitions[number], recognition.silence == silence else { return }
    recognitions[number]?.earlyWords = transcript.text
    weighEarlyWords(number)
    answerAhead([saidBefore?.text, transcript.text].compactMap(\.self).joined(separator: " "))
  }

  /// Weighs the words that were found, once the detector is sure of the pause too.
  private func weighEarlyWords(_ number: Int) {
    guard let words = recognitions[number]?.earlyWords, let pause = recognitions[number]?.pause
    else { return }
    wait(recognitions[number]?.judge.heard(words: words, inPause: pause), number, pause)
  }

  private func begin() async throws(ProviderError) -> any TranscriptionRequest {
    let name = record.settings.models.stt ?? agent.stt
    guard let recogniser = environment.providers.speechToText(name) else {
      throw .unavailable("The recogniser \"\(name)\" leads to no provider of this router.")
    }
    return try await recogniser.begin()
  }

  /// The words of an utterance; a recogniser that was lost on the way gets all of it once more.
  private func transcribe(
    _ said: [[Int16]], _ request: (any TranscriptionRequest)?, _ early: EarlyWords?
  ) async throws(ProviderError) -> Transcript {
    if let request {
      do throws(ProviderError) {
        guard let early else { return try await finish(request) }
        return try await early.words.value.get()
      } catch {
        emitError(TurnFailure(.recogniser, error.description))
      }
    }
    let again = try await begin()
    for samples in said { await again.append(samples) }
    return try await finish(again)
  }

  private func finish(_ request: any TranscriptionRequest) async throws(ProviderError)
    -> Transcript
  {
    let limit = Self.recogniserLimit
    chargeRequest()
    do throws(ProviderError) {
      return try await withTimeLimit(
        limit, on: runtime,
        otherwise: "The recogniser had no words after \(limit.milliseconds) ms."
      ) { () throws(ProviderError) -> Transcript in
        try await request.finish()
      }
    } catch {
      await request.cancel()
      throw error
    }
  }

  /// What a device's user says counts as what they write does.
  ///
  /// - Throws: `.rateLimited` when the day's messages or tokens are used up.
  private func admitSpoken(_ transcript: Transcript) async throws(ProviderError) {
    let speaker = watchers.first { $0.id == room.publisher?.watcherID }
    guard let speaker, !transcript.text.isEmpty else { return }
    do throws(APIError) {
      try await environment.caps.admit(speaker.caller)
    } catch {
      throw .failed(error.message)
    }
  }

  private func heard(_ transcript: Transcript, _ number: Int, _ said: [[Int16]]) {
    guard !isEnding, let recognition = recognitions[number],
      let utterance = recognition.utterance
    else { return }
    let isSpeech = !transcript.text.isEmpty && utterance.voicedWindows >= Self.windowsOfATurn
    // A cough that took an answer back is no reason not to answer.
    guard isSpeech || saidBefore != nil else {
      forgetAhead()
      emitIgnored("nothing was said", said: transcript.text)
      resumeSpeech()
      return
    }
    guard saidBefore != nil || !takeBackchannel(transcript.text) else { return }
    if SentenceEnd.isClosed(transcript.text) { isPunctuated = true }
    let text = joined(isSpeech ? transcript.text : "")
    if hearing.isSpeaking || recognitions.keys.contains(where: { $0 > number }) {
      // The person went on before the words were there: they belong to what was said since.
      saidBefore = SaidBefore(text: text)
      return
    }
    emit(
      .heard,
      [
        "participant": participantValue, "text": .string(text),
        "language": .string(transcript.language),
      ])
    var timings = TurnTimings()
    timings.lastVoiced = utterance.lastVoiced
    timings.decided = utterance.decided
    timings.decidedAt = recognition.decidedAt
    timings.transcribedAt = runtime.now
    let id = runtime.makeID()
    var turn = Turn(id: id, requestID: id, origin: .spoken, text: text)
    turn.timings = timings
    turn.quietSince = recognition.filledAt
    // What was said before lies in the words alone: then these are answered.
    if speaksItself(record.settings), text == transcript.text { turn.sound = said.flatMap { $0 } }
    do throws(APIError) {
      // Whoever speaks has the floor: a reply in progress is cut; a filler may end.
      try submit(turn, interrupting: turns.running.map { !$0.isFiller } ?? false)
    } catch {
      emitError(TurnFailure(.model, error.message), of: turn)
    }
  }

  /// The person spoke and cannot be answered: says so aloud.
  func apologize() {
    saidBefore = nil
    guard room.publisher != nil else { return }
    let id = runtime.makeID()
    var turn = Turn(id: id, requestID: id, origin: .say, text: Self.fallbackLine)
    turn.isUnrecorded = true
    do throws(APIError) {
      try submit(turn)
    } catch {
      // So much is waiting to be said that an apology would come too late anyway.
    }
  }

  /// Forgets what is being said: the device has gone, or the session ends.
  func cancelListening() {
    hearing.reset()
    forgetAhead()
    saidBefore = nil
    guard !recognitions.isEmpty else { return }
    recognitions.removeAll()
    emitIgnored("the speech was cut off", said: "")
  }

  /// Nothing will come of what was heard.
  private func emitIgnored(_ reason: String, said: String) {
    emit(
      .decision,
      [
        "at": timestampValue, "kind": "ignore", "reason": .string(reason),
        "participant": participantValue, "said": .string(said),
      ])
  }

  private func showLevel(of member: CallRoom.Member, _ level: Float) {
    let isSpeaking = hearing.isSpeaking
    let changed = abs(level - member.level) >= 0.02 || isSpeaking != member.isSpeaking
    let elapsed = lastLevels.map { runtime.now - $0 } ?? Self.levelsInterval
    guard changed, elapsed >= Self.levelsInterval else { return }
    lastLevels = runtime.now
    room.update(member.id) { member in
      member.level = level
      member.isSpeaking = isSpeaking
    }
    sendToCall(
      Frame(
        .callLevels,
        [
          "levels": [
            [
              "participant_id": .string(member.id), "level": .double(Double(level)),
              "is_speaking": .bool(isSpeaking),
            ]
          ]
        ]))
  }
}

/// The words of an utterance that may be over, being found.
private struct EarlyWords {
  var request: any TranscriptionRequest
  var words: Task<Result<Transcript, ProviderError>, Never>
}
