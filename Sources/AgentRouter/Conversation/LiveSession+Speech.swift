import CVoiceDSP
import Networking
import Providers
import SessionsModel
import Stores

// Speaks the running reply: pieces to the voice, its samples to the media plane.
extension LiveSession {
  /// Spoken when an answer fails; never part of the history.
  static let fallbackLine = "Sorry, I can't answer that right now."
  /// How long to wait before handing over speech again when 10 s of it are waiting.
  static let speechPause = Duration.milliseconds(100)
  /// Silence of a voice, inside a piece, after which the piece fails.
  static let voiceSilenceLimit = Duration.seconds(2)
  /// From a request to a voice to its first sample: twice that is within the answer's budget.
  static let voiceStartLimit = Duration.milliseconds(1_200)
  /// How long a voice that failed is left alone while another one can speak.
  static let voiceRest = Duration.seconds(10)
  /// Beyond the length of what is to be heard, how long the device may take to report it.
  static let hearingGrace = Duration.seconds(8)
  /// A sample this loud is audible: -40 dBFS.
  static let audibleSample: Int16 = 328

  /// Adds written words to the speech of the running turn.
  func speak(_ text: String) {
    guard var speech = reply?.speech, !speech.isBroken else { return }
    guard !speech.isNative else {
      reply?.speech?.unspokenWords += text
      return
    }
    let pieces = speech.chunker.take(text)
    reply?.speech = speech
    for piece in pieces { enqueue(piece) }
  }

  /// Says an apology that is no part of the answer.
  func speakFallback(_ line: String) {
    guard var speech = reply?.speech, !speech.isBroken else { return }
    speech.chunker = SentenceChunker()
    speech.waiting.append(SpeechState.Piece(written: "", spoken: line))
    reply?.speech = speech
    drainIfNeeded()
  }

  /// No more words will come; reports when the last one was heard.
  func endSpeech(_ turnID: String) {
    guard reply?.turn.id == turnID else { return }
    endNativeSpeech()
    guard var speech = reply?.speech else {
      perform(turns.sounded(turnID))
      return
    }
    let rest = speech.chunker.flush()
    reply?.speech = speech
    if let rest, reply?.failure == nil { enqueue(rest) }
    reply?.speech?.isComplete = true
    drainIfNeeded()
  }

  /// Holds the model's reader back while too many pieces wait.
  func waitForSpeech(_ turnID: String) async {
    while isAnswering(turnID), let speech = reply?.speech,
      speech.waiting.count >= SpeechState.piecesAtMost
    {
      reply?.lastProgress = runtime.now
      do {
        try await runtime.sleep(for: Self.speechPause)
      } catch {
        return  // Cancelled: the turn was cut.
      }
    }
  }

  /// Drops what was not sent, here and at the device.
  func flushSpeech(below generation: UInt32) {
    mediaCall?.flush(below: generation)
    heldSpeech.removeAll { $0.generation < generation }
    for pump in media.values { pump.discard(below: generation) }
    sendToCall(Frame(.callFlush, ["generation": .int(Int(generation))]))
  }

  func enqueue(_ piece: String) {
    guard var speech = reply?.speech else { return }
    if reply?.timings.firstPieceAt == nil { reply?.timings.firstPieceAt = runtime.now }
    speech.waiting.append(
      SpeechState.Piece(written: piece, spoken: speech.speakable.spoken(piece)))
    reply?.speech = speech
    drainIfNeeded()
  }

  func drainIfNeeded() {
    guard let speech = reply?.speech, !speech.isDraining else { return }
    reply?.speech?.isDraining = true
    runtime.task { await self.drain(speech.generation) }
  }

  private func drain(_ generation: UInt32) async {
    while isSpeaking(generation), let speech = reply?.speech {
      if let piece = speech.waiting.first {
        reply?.speech?.waiting.removeFirst()
        await synthesize(piece, generation)
      } else if speech.isComplete {
        await markEnd(generation)
        return
      } else {
        reply?.speech?.isDraining = false
        return
      }
    }
  }

  private func synthesize(_ piece: SpeechState.Piece, _ generation: UInt32) async {
    guard reply?.speech?.isBroken == false else { return }
    guard !piece.spoken.isEmpty else {
      reply?.speech?.ledger?.begin(piece.written)
      return
    }
    let settings = reply?.settings ?? record.settings
    let voices = voicesInOrder(settings.models.tts ?? agent.tts)
    for (attempt, voice) in voices.enumerated() {
      do throws(ProviderError) {
        try await synthesizeOnce(piece, generation, voice.voice, settings)
        return
      } catch {
        guard isSpeaking(generation), error != .cancelled else { return }
        voicesAtRest[voice.place] = runtime.now + Self.voiceRest
        // A piece of which something was heard is not begun again: no word twice.
        if attempt == voices.count - 1 || reply?.speech?.hasBegunPiece == true {
          voiceFailed(error)
          return
        }
      }
    }
    voiceFailed(.unavailable("The voice of this session leads to no provider of this router."))
  }

  /// The voices to try for a piece: those that are well first, and a lone one twice.
  private func voicesInOrder(_ name: String) -> [(place: Int, voice: any TextToSpeech)] {
    let voices = environment.providers.textToSpeechChain(name).enumerated().map { ($0, $1) }
    guard voices.count > 1 else { return voices + voices }
    let now = runtime.now
    let (resting, well) = (
      voices.filter { voicesAtRest[$0.0].map { $0 > now } ?? false },
      voices.filter { voicesAtRest[$0.0].map { $0 <= now } ?? true }
    )
    return well + resting
  }

  private func synthesizeOnce(
    _ piece: SpeechState.Piece, _ generation: UInt32, _ voice: any TextToSpeech,
    _ settings: SessionSettings
  ) async throws(ProviderError) {
    reply?.speech?.hasBegunPiece = false
    chargeRequest()
    let voiceName = settings.voice ?? agent.voice
    let ahead = takeAheadSpeech(piece.spoken, voice: voiceName)
    let askedAt = ahead?.askedAt ?? runtime.now
    if reply?.timings.voiceAskedAt == nil {
      reply?.timings.voiceAskedAt = askedAt
      reply?.timings.firstSpeechAt = ahead?.firstAt
    }
    let spoken: any SpeechReply
    if let ahead {
      spoken = ahead
    } else {
      spoken = try await voice.speak(piece.spoken, voice: voiceName)
    }
    // From here on a cut takes it back, even before its first sample.
    if isSpeaking(generation) { reply?.speech?.voiceReply = spoken }
    do throws(ProviderError) {
      try await follow(spoken, of: piece, generation, usualRate: await voice.rate, askedAt: askedAt)
    } catch {
      await spoken.cancel()
      throw error
    }
  }

  /// Hands a piece's samples on as they come.
  private func follow(
    _ spoken: any SpeechReply, of piece: SpeechState.Piece, _ generation: UInt32, usualRate: Int,
    askedAt: MonotonicInstant
  ) async throws(ProviderError) {
    var rate = usualRate
    var firstByte: Duration?
    var samplesOfPiece = 0
    while isSpeaking(generation),
      let samples = try await next(
        of: spoken, within: firstByte == nil ? Self.voiceStartLimit : Self.voiceSilenceLimit)
    {
      guard isSpeaking(generation) else { break }
      if firstByte == nil {
        firstByte = ((spoken as? AheadStream<[Int16]>)?.firstAt ?? runtime.now) - askedAt
        rate = await spoken.rate ?? usualRate
        beginPiece(piece, samples, rate)
      }
      samplesOfPiece += samples.count
      reply?.speech?.ledger?.setWordEnds(spoken.wordEnds, rate: rate)
      await handOver(samples, generation, rate)
    }
    guard isSpeaking(generation) else { throw .cancelled }
    // Words that make no sound are a broken voice; punctuation alone may well be silent.
    guard samplesOfPiece > 0 || !piece.spoken.contains(where: { $0.isLetter || $0.isNumber })
    else {
      throw .failed("The voice made no sound of \(piece.spoken.count) characters.")
    }
    emitSpoke(milliseconds: samplesOfPiece * 1000 / rate, firstByte: firstByte)
  }

  private func next(of spoken: any SpeechReply, within limit: Duration)
    async throws(ProviderError) -> [Int16]?
  {
    return try await withTimeLimit(
      limit, on: runtime, otherwise: "The voice said nothing for \(limit.milliseconds) ms."
    ) { () throws(ProviderError) -> [Int16]? in
      try await spoken.next()
    }
  }

  private func beginPiece(_ piece: SpeechState.Piece, _ samples: [Int16], _ rate: Int) {
    reply?.speech?.hasBegunPiece = true
    if reply?.speech?.ledger == nil { reply?.speech?.ledger = SpokenLedger(rate: rate) }
    reply?.speech?.ledger?.begin(piece.written)
    guard reply?.timings.leadingSilence == nil else { return }
    if reply?.timings.firstSpeechAt == nil { reply?.timings.firstSpeechAt = runtime.now }
    let silent = samples.firstIndex { abs(Int32($0)) >= Int32(Self.audibleSample) } ?? 0
    reply?.timings.leadingSilence = .seconds(Double(silent) / Double(rate))
  }

  func handOver(_ samples: [Int16], _ generation: UInt32, _ rate: Int) async {
    var left = samples[...]
    while !left.isEmpty, isSpeaking(generation), let mediaCall {
      let taken = mediaCall.speak(left, generation: generation, rate: rate)
      left = left.dropFirst(taken)
      reply?.speech?.ledger?.append(samples: taken, rate: rate)
      reply?.speech?.quiet.handedOver(.seconds(Double(taken) / Double(rate)), at: runtime.now)
      guard !left.isEmpty else { return }
      do {
        try await runtime.sleep(for: Self.speechPause)
      } catch {
        return  // Nobody cancels this task; the turn's end is seen by `isSpeaking`.
      }
    }
  }

  private func markEnd(_ generation: UInt32) async {
    guard let turnID = reply?.turn.id else { return }
    guard let ledger = reply?.speech?.ledger, ledger.milliseconds > 0 else {
      perform(turns.sounded(turnID))
      return
    }
    while isSpeaking(generation), let mediaCall, !mediaCall.endSpeech(generation: generation) {
      // As in `handOver`.
      try? await runtime.sleep(for: Self.speechPause)
    }
    guard isSpeaking(generation) else { return }
    reply?.speech?.isEnded = true
    let length = Duration.milliseconds(
      ledger.milliseconds - (reply?.speech?.playedMilliseconds ?? 0))
    runtime.task {
      // As in `handOver`.
      try? await self.runtime.sleep(for: length + Self.hearingGrace)
      await self.hearingLimitPassed(generation)
    }
  }

  /// The device never said that it played the end: the turn does not wait for ever.
  private func hearingLimitPassed(_ generation: UInt32) {
    guard isSpeaking(generation), let turnID = reply?.turn.id else { return }
    perform(turns.sounded(turnID))
  }

  private func voiceFailed(_ error: ProviderError) {
    reply?.speech?.isBroken = true
    reply?.speech?.waiting.removeAll()
    emitError(TurnFailure(.voice, error.description), of: reply?.turn)
  }

  private func emitSpoke(milliseconds: Int, firstByte: Duration?) {
    guard let turn = reply?.turn else { return }
    emit(
      .spoke,
      [
        "audio_duration_ms": .int(milliseconds),
        "time_to_first_byte_ms": firstByte.map { .double($0.milliseconds) } ?? .null,
      ], of: turn)
  }

  /// Whether this generation is still the one being spoken.
  func isSpeaking(_ generation: UInt32) -> Bool {
    reply?.speech?.generation == generation
  }

  /// The device's playout clock: what was heard of a generation.
  func played(_ frame: Frame) {
    takeLastReport(frame)
    guard let generation = frame["generation"]?.intValue, let turn = reply?.turn,
      isSpeaking(UInt32(clamping: generation)),
      let before = reply?.speech?.playedMilliseconds
    else { return }
    // Nothing can be heard that was not handed over, whatever a device reports.
    let spoken = reply?.speech?.ledger?.milliseconds ?? 0
    let played = max(before, min(frame["played_ms"]?.intValue ?? 0, spoken))
    reply?.speech?.playedMilliseconds = played
    if reply?.timings.heardAt == nil, let heardAt = frame["started_at"]?.intValue {
      reply?.timings.heardAt = UInt32(truncatingIfNeeded: heardAt)
    }
    guard frame["finished"]?.boolValue == true, reply?.speech?.isEnded == true else { return }
    emit(.heardOut, ["played_ms": .int(played)], of: turn)
    perform(turns.sounded(turn.id))
  }
}
