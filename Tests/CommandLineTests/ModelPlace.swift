import Foundation
import VoiceProgram

/// A cache folder that shares set-up's files by links, for tests that spoil one of them.
struct ModelPlace {
  let place: TemporaryPlace

  var environment: [String: String] {
    ["VOICE_DATA": place.folder.path, "VOICE_CACHE": place.file("cache").path]
  }

  /// - Parameter hasModels: false leaves engines, models and Python packages away.
  init(hasModels: Bool = true) throws {
    place = try TemporaryPlace()
    let cache = place.file("cache")
    try FileManager.default.createDirectory(
      at: cache.appending(path: "models"), withIntermediateDirectories: true)
    try link("fixtures")
    guard hasModels else { return }
    try VoiceProgram.requireModels()
    for name in ["engines", "python"] { try link(name) }
    let models = VoiceProgram.cache.appending(path: "models")
    for name in try FileManager.default.contentsOfDirectory(atPath: models.path) {
      try link("models/\(name)")
    }
  }

  /// Takes a model file away.
  func lose(_ name: String) throws {
    try FileManager.default.removeItem(at: place.file("cache/models/\(name)"))
  }

  /// Puts the first half of a model file in its place.
  func halve(_ name: String) throws {
    let whole = try FileHandle(
      forReadingFrom: VoiceProgram.cache.appending(path: "models/\(name)"))
    defer { whole.closeFile() }
    let size = try whole.seekToEnd()
    try whole.seek(toOffset: 0)
    let half = try whole.read(upToCount: Int(size / 2)) ?? Data()
    try lose(name)
    try half.write(to: place.file("cache/models/\(name)"))
  }

  private func link(_ name: String) throws {
    try FileManager.default.createSymbolicLink(
      at: place.file("cache/\(name)"),
      withDestinationURL: VoiceProgram.cache.appending(path: name))
  }
}
