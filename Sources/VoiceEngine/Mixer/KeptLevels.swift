import Foundation

/// Where the knobs of each card are to stand, kept in a file: drivers forget them, and many cards
/// come up muted.
///
/// Cards are known by ``CardIdentity/stableID``. Its methods wait for the disk.
public struct KeptLevels: Sendable, Hashable {
  /// The file.
  public let path: String

  public init(path: String) {
    self.path = path
  }

  /// What is kept of a card.
  ///
  /// - Throws: ``AudioError`` when there is a file that cannot be read.
  public func changes(of card: CardIdentity) throws(AudioError) -> [MixerChange] {
    try all()[card.stableID] ?? []
  }

  /// Keeps knobs of a card; others that are kept of it stay.
  public func keep(_ changes: [MixerChange], of card: CardIdentity) throws(AudioError) {
    var all = try all()
    var kept = all[card.stableID] ?? []
    for change in changes {
      if let place = kept.firstIndex(where: { $0.isSameKnob(as: change) }) {
        kept[place].isOn = change.isOn ?? kept[place].isOn
        kept[place].level = change.level ?? kept[place].level
      } else {
        kept.append(change)
      }
    }
    all[card.stableID] = kept
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      let folder = URL(filePath: path).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try encoder.encode(all).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw AudioError(
        code: .notPermitted,
        message: "The levels cannot be kept in \(path): \(error.localizedDescription). Make its"
          + " folder writable.")
    }
  }

  /// Turns the knobs of a card as they are kept.
  ///
  /// - Returns: sentences about knobs that could not be turned.
  public func apply(to mixer: any MixerControl, of card: CardIdentity) -> [String] {
    do throws(AudioError) {
      var complaints: [String] = []
      for change in try changes(of: card) {
        do throws(AudioError) {
          try mixer.apply(change)
        } catch {
          complaints.append(error.message)
        }
      }
      return complaints
    } catch {
      return [error.message]
    }
  }

  private func all() throws(AudioError) -> [String: [MixerChange]] {
    guard FileManager.default.fileExists(atPath: path) else { return [:] }
    do {
      return try JSONDecoder().decode(
        [String: [MixerChange]].self, from: Data(contentsOf: URL(filePath: path)))
    } catch {
      throw AudioError(
        code: .unsupported,
        message: "The kept levels in \(path) cannot be read: \(error.localizedDescription). Delete"
          + " the file and set the levels again (voice devices --set-levels).")
    }
  }
}

extension MixerChange {
  fileprivate func isSameKnob(as other: MixerChange) -> Bool {
    name == other.name && index == other.index && direction == other.direction
  }
}
