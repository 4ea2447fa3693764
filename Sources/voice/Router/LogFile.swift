import Foundation
import Synchronization

/// A log written line by line, whose last line is at hand for an error's sentence.
final class LogFile: Sendable {
  private struct State {
    // Used under the mutex only.
    nonisolated(unsafe) var handle: FileHandle
    var lastLine = ""
  }

  let path: String
  private let state: Mutex<State>

  /// Begins the file anew.
  ///
  /// - Throws: ``FileFault`` when it cannot be written.
  init(_ file: URL) throws(FileFault) {
    path = file.path
    do {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: file)
      state = Mutex(State(handle: try FileHandle(forWritingTo: file)))
    } catch {
      throw FileFault("cannot write the log \(file.path): \(error.localizedDescription)")
    }
  }

  func append(_ line: String) {
    state.withLock { state in
      state.lastLine = line
      // A full disk must not end a conversation; the log is the first thing to do without.
      try? state.handle.write(contentsOf: Data((line + "\n").utf8))
    }
  }

  var lastLine: String { state.withLock { $0.lastLine } }
}
