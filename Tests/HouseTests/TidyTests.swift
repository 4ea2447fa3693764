import Foundation
import Testing

/// What a reader of the code may rely on in every file.
struct TidyTests {
  static let folders = ["Sources", "Tests", "Benchmarks", "fixtures"]

  @Test func noFileIsLongerThan400Lines() throws {
    for folder in Self.folders {
      for file in try House.files(under: folder, suffix: nil) where file.pathExtension != "wav" {
        let lines = try String(contentsOf: file, encoding: .utf8).split(
          separator: "\n", omittingEmptySubsequences: false
        ).count
        #expect(lines <= 401, "\(file.path) has \(lines) lines; is it one thing?")
      }
    }
  }

  @Test func noFolderIsCalledAfterNothing() throws {
    for folder in Self.folders {
      for file in try House.files(under: folder, suffix: nil) {
        for name in ["Utils", "Helpers", "Manager", "Misc"] {
          #expect(!file.lastPathComponent.contains(name), "\(file.path)")
        }
      }
    }
  }

  @Test func noLogicSleepsOrAsksTheSystemForTime() throws {
    // Time comes from Runtime; the driver of the live loop and the command line's terminal may ask.
    let logic = [
      "SessionsModel", "Stores", "Providers", "AgentRouter", "VisionAgentsCore", "CallTransport",
    ]
    for target in logic {
      for file in try House.files(under: "Sources/\(target)", suffix: ".swift") {
        let text = try String(contentsOf: file, encoding: .utf8)
        for banned in ["Task.sleep", "Thread.sleep", "usleep(", "DispatchQueue", "URLSession"] {
          #expect(!text.contains(banned), "\(file.path) uses \(banned)")
        }
      }
    }
  }

  @Test func noPlaceholderIsLeft() throws {
    for file in try House.files(under: "Sources", suffix: ".swift") {
      #expect(file.lastPathComponent != "Empty.swift", "\(file.path)")
    }
  }
}
