import Foundation

/// The latency that each device hides from its driver, as the echo told it, kept in a file: the
/// next conversation's clock is true from its first word.
///
/// Cards are known by ``CardIdentity/stableID``. Its methods wait for the disk.
public struct KeptLatency: Sendable, Hashable {
  /// More than any device hides; what is found beyond is a mistake.
  static let mostFrames = 24_000

  /// The file.
  public let path: String

  public init(path: String) {
    self.path = path
  }

  /// Frames at 48 kHz that are kept of a device; `nil` when none are, or the file cannot be read:
  /// then the latency is found anew.
  public func frames(of card: CardIdentity) -> Int? {
    all()[card.stableID].flatMap { (1...Self.mostFrames).contains($0) ? $0 : nil }
  }

  /// Keeps what was found of a device; 0, that it hides nothing, keeps no entry.
  ///
  /// - Throws: ``AudioError`` when the file cannot be written.
  public func keep(_ frames: Int, of card: CardIdentity) throws(AudioError) {
    guard (0...Self.mostFrames).contains(frames) else { return }
    var all = all()
    let entry = frames == 0 ? nil : frames
    guard all[card.stableID] != entry else { return }
    all[card.stableID] = entry
    do {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      let folder = URL(filePath: path).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try encoder.encode(all).write(to: URL(filePath: path), options: .atomic)
    } catch {
      throw AudioError(
        code: .notPermitted,
        message: "The device's latency cannot be kept in \(path): \(error.localizedDescription).")
    }
  }

  private func all() -> [String: Int] {
    // What cannot be read is found anew in the next conversation.
    guard let data = try? Data(contentsOf: URL(filePath: path)) else { return [:] }
    return (try? JSONDecoder().decode([String: Int].self, from: data)) ?? [:]
  }
}
