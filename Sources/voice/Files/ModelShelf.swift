import CCrypto
import Foundation

/// The model files of this machine, held against the manifest set-up wrote beside them.
struct ModelShelf {
  /// One file the product uses, pinned by the hash of its content.
  struct File: Decodable {
    var name: String
    var bytes: Int
    var sha256: String
    var licence: String
    var origin: String
  }

  /// What is known of a file here.
  enum State {
    case verified
    case missing
    case damaged
  }

  private struct Manifest: Decodable {
    var files: [File]
  }

  let folder: URL
  let files: [File]

  /// - Throws: ``FileFault`` when there is no manifest yet.
  init(places: Places) throws(FileFault) {
    let manifest = places.cache.appending(path: "models.json")
    folder = places.models
    do {
      files = try JSONDecoder().decode(Manifest.self, from: Data(contentsOf: manifest)).files
    } catch {
      throw FileFault(
        "the list of model files (\(manifest.path)) cannot be read. Run `make setup`, which writes "
          + "it: \(error.localizedDescription)")
    }
  }

  /// Compares a file's size and hash with its pin.
  func state(of file: File) -> State {
    let url = folder.appending(path: file.name)
    guard FileManager.default.fileExists(atPath: url.path) else { return .missing }
    return matches(file, at: url) ? .verified : .damaged
  }

  /// A file of `source` with the right content, by its full or its last name.
  func find(_ file: File, in source: URL) -> URL? {
    let last = URL(filePath: file.name).lastPathComponent
    return [source.appending(path: file.name), source.appending(path: last)]
      .first { matches(file, at: $0) }
  }

  /// Copies a verified file into place; it appears whole or not at all.
  ///
  /// - Throws: ``FileFault`` when the disk refuses.
  func take(_ file: File, from source: URL) throws(FileFault) {
    let target = folder.appending(path: file.name)
    let partial = target.appendingPathExtension("partial")
    do {
      try FileManager.default.createDirectory(
        at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      if FileManager.default.fileExists(atPath: partial.path) {
        try FileManager.default.removeItem(at: partial)
      }
      try FileManager.default.copyItem(at: source, to: partial)
      if FileManager.default.fileExists(atPath: target.path) {
        try FileManager.default.removeItem(at: target)
      }
      try FileManager.default.moveItem(at: partial, to: target)
    } catch {
      throw FileFault("cannot import \(file.name): \(error.localizedDescription)")
    }
  }

  private func matches(_ file: File, at url: URL) -> Bool {
    guard let handle = FileHandle(forReadingAtPath: url.path),
      let context = EVP_MD_CTX_new()
    else { return false }
    defer {
      EVP_MD_CTX_free(context)
      // A file open for reading loses nothing when closing fails.
      try? handle.close()
    }
    EVP_DigestInit_ex(context, EVP_sha256(), nil)
    var size = 0
    while let chunk = try? handle.read(upToCount: 1 << 20), !chunk.isEmpty {
      size += chunk.count
      chunk.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    }
    var digest = [UInt8](repeating: 0, count: 32)
    EVP_DigestFinal_ex(context, &digest, nil)
    let hex = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return size == file.bytes && hex == file.sha256
  }
}
