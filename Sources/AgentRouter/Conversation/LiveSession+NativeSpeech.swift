import Networking
import Providers
import SessionsModel
import Stores

// A model that speaks itself: its sound goes to the call as it comes, its words are what was said.
extension LiveSession {
  /// Whether these settings lead to a model that hears and speaks itself.
  func speaksItself(_ settings: SessionSettings) -> Bool {
    settings.models.sts.map { environment.providers.speechToSpeech($0) is any SpeechToSpeech }
      ?? false
  }

  /// Hands a piece of the model's own sound over; what the call has no room for is waited for.
  func speakNatively(_ samples: [Int16], rate: Int, _ turnID: String) async {
    guard reply?.turn.id == turnID, let speech = reply?.speech, speech.isNative else { return }
    if speech.ledger == nil {
      reply?.speech?.ledger = SpokenLedger(rate: rate)
      let askedAt = reply?.timings.modelAskedAt
      reply?.timings.voiceAskedAt = askedAt
      reply?.timings.firstSpeechAt = runtime.now
      let silent = samples.firstIndex { abs(Int32($0)) >= Int32(Self.audibleSample) } ?? 0
      reply?.timings.leadingSilence = .seconds(Double(silent) / Double(rate))
    }
    // Words come a little before their sound: a cut is told by the share of these that was heard.
    if speech.ledger == nil || !speech.unspokenWords.isEmpty {
      reply?.speech?.ledger?.begin(speech.unspokenWords)
      reply?.speech?.unspokenWords = ""
    }
    await handOver(samples, speech.generation, rate)
  }

  /// No more sound will come: what is left of the words belongs to its end. Words without any sound
  /// are left to the session's voice.
  func endNativeSpeech() {
    guard let speech = reply?.speech, speech.isNative, !speech.unspokenWords.isEmpty else { return }
    reply?.speech?.unspokenWords = ""
    if speech.ledger != nil {
      reply?.speech?.ledger?.begin(speech.unspokenWords)
    } else {
      reply?.speech?.isNative = false
      speak(speech.unspokenWords)
    }
  }
}
