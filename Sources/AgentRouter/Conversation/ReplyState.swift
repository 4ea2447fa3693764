import Foundation
import Networking
import Providers
import SessionsModel
import Stores

/// What the driver knows of the turn it is answering.
struct ReplyState {
  let turn: Turn
  /// Models, voice and instructions as the turn began: changes hold from the next one on (R33).
  let settings: SessionSettings
  var record: TurnRecord
  /// What the turn adds to the history: the user's words, calls, results, the answer.
  var messages: [ModelMessage] = []
  /// Everything written so far.
  var text = ""
  /// What this step has written, and the calls it asked for.
  var stepText = ""
  var calls: [ModelToolCall] = []
  var nextItem = 0
  /// Since when the reply stands in the transcript, and when it was last shown there.
  var transcript: (since: Date, shownAt: MonotonicInstant)?
  var timings = TurnTimings()
  /// Following the model; cancelled when the turn is cut.
  var task: Task<Void, Never>?
  var modelReply: (any ModelReply)?
  /// Begun before the turn was decided.
  var ahead: AnswerAhead?
  /// When the model last said something.
  var lastProgress: MonotonicInstant
  /// How it is spoken; nil in writing.
  var speech: SpeechState?
  var failure: TurnFailure?

  /// The text without that of the steps before, which stands in ``messages`` with their calls.
  var textOfLastStep: String {
    let before = messages.filter { $0.role == .assistant }.map(\.content).joined()
    // What was heard of a reply that was cut may end within them.
    if before.hasPrefix(text) { return "" }
    return String(text.hasPrefix(before) ? text.dropFirst(before.count) : text[...])
  }
}

/// The speech of one reply.
struct SpeechState {
  /// A piece to be spoken: as it was written, and as it is said.
  struct Piece {
    var written: String
    var spoken: String
  }

  /// Pieces that may wait for the voice before the model is read more slowly.
  static let piecesAtMost = 64

  let generation: UInt32
  var quiet: QuietWatch
  var chunker = SentenceChunker()
  var speakable = SpeakableText()
  /// Made with the voice's rate at the first piece.
  var ledger: SpokenLedger?
  var waiting: [Piece] = []
  var isDraining = false
  /// No more pieces will come.
  var isComplete = false
  /// The mark of the end is behind the last sample.
  var isEnded = false
  var voiceReply: (any SpeechReply)?
  /// Something of the piece in work was handed over.
  var hasBegunPiece = false
  /// What the device's speaker has played, by its playout clock.
  var playedMilliseconds = 0
  /// The model speaks itself: no voice is asked for its words.
  var isNative = false
  /// Words of a model that speaks itself whose sound has not come.
  var unspokenWords = ""
  /// The voice failed: nothing more is spoken.
  var isBroken = false

  init(generation: UInt32, quiet: QuietWatch) {
    self.generation = generation
    self.quiet = quiet
  }
}
