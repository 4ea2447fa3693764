import Foundation

/// Standard output, written whole lines at a time and at once: a pipe's reader follows live, and a
/// killed process has lost nothing.
enum StandardOutput {
  static func write(_ text: String) {
    FileHandle.standardOutput.write(Data(text.utf8))
  }

  static func line(_ text: String) {
    write(text + "\n")
  }
}
