import Foundation
import VoiceEngine

/// `voice devices --set-levels`: turns the knobs of the cards as a conversation needs them, and keeps
/// them for the next start.
struct LevelSetting {
  /// Shares of the range; loud enough for a room, short of where small speakers rattle.
  static let usualPlayback = 75
  static let usualCapture = 75

  var playback: Double
  var capture: Double
  var kept: KeptLevels

  init(_ arguments: Arguments, places: Places) throws(UsageError) {
    playback =
      Double(try arguments.integer("--playback-level", in: 0...100) ?? Self.usualPlayback) / 100
    capture =
      Double(try arguments.integer("--capture-level", in: 0...100) ?? Self.usualCapture) / 100
    kept = places.keptLevels
  }

  /// Sets one card.
  ///
  /// - Returns: what was done, and what failed.
  func apply(to card: AudioCard) -> (done: [String], failed: [String]) {
    do throws(AudioError) {
      let mixer = try CardMixer(card: card.id)
      let plan = MixerJudgement(mixer.elements()).plan(playback: playback, capture: capture)
      guard !plan.isEmpty else { return (["\(card.id): every knob stands as it should."], []) }
      var set: [MixerChange] = []
      var failed: [String] = []
      for change in plan {
        do throws(AudioError) {
          try mixer.apply(change)
          set.append(change)
        } catch {
          failed.append(error.message)
        }
      }
      try kept.keep(set, of: card.identity)
      return (set.map { "\(card.id): \($0.text)" }, failed)
    } catch {
      return ([], [error.message])
    }
  }
}
