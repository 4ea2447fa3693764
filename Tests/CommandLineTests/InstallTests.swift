import Foundation
import SessionsModel
import Testing
import VoiceProgram

/// `make install` and `make uninstall`, with the program of this build.
struct InstallTests {
  private struct Ending {
    var exitCode: Int32
    var text: String
  }

  /// The checkout that this test was built from.
  private static let checkout = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// What it says goes into a file. The end of a pipe comes only when whatever another test started
  /// meanwhile has ended, too, and waiting for it would hold a thread of the pool.
  private func run(
    _ program: String, _ arguments: [String], _ environment: [String: String]
  ) async throws -> Ending {
    let file = FileManager.default.temporaryDirectory.appending(
      path: "install-\(UUID().uuidString)")
    try Data().write(to: file)
    // What is left of a test in the temporary folder harms nobody.
    defer { try? FileManager.default.removeItem(at: file) }
    let output = try FileHandle(forWritingTo: file)
    let process = Process()
    process.executableURL = URL(filePath: program)
    process.arguments = arguments
    process.environment = environment
    process.standardOutput = output
    process.standardError = output
    let exitCode = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    return Ending(
      exitCode: exitCode, text: String(decoding: try Data(contentsOf: file), as: UTF8.self))
  }

  /// Installs below a folder that stands for everything.
  private func install(_ action: String, _ place: TemporaryPlace) async throws -> Ending {
    try await run(
      "/bin/sh", [Self.checkout.appending(path: "Sources/Install/install.sh").path, action],
      [
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": place.folder.path,
        "PREFIX": place.file("prefix").path,
        "BUILD": try VoiceProgram.url().deletingLastPathComponent().path,
        "CACHE": place.file("cache").path,
      ])
  }

  private func files(below folder: URL) -> [String] {
    let names = try? FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return (names ?? []).sorted()
  }

  @Test func theProgramRunsFromItsPrefixAlone() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    try place.write("cache/models.json", "{}")
    for folder in ["models", "engines/current"] {
      try place.write("cache/\(folder)/file", "content")
    }
    let installed = try await install("install", place)
    #expect(installed.exitCode == 0, "\(installed.text)")
    for word in ["program", "simulated room", "Swift runtime", "models", "service", "uninstall"] {
      #expect(installed.text.contains(word), "\(word) is not said: \(installed.text)")
    }
    let prefix = place.file("prefix")
    let program = prefix.appending(path: "bin/voice").path
    let environment = ["HOME": place.folder.path, "PATH": "/usr/bin:/bin"]
    let devices = try await run(program, ["devices", "--json"], environment)
    #expect(devices.exitCode == 0, "\(devices.text)")
    // The cache is the one that was installed.
    let models = try await run(program, ["models", "list"], environment)
    #expect(models.text.contains(prefix.appending(path: "share/voice/models.json").path))
    // Whatever the toolchain's folder gives lies beside the program too.
    let libraries = try await run("/usr/bin/ldd", [program], environment).text
      .split(separator: "\n").compactMap { line -> String? in
        guard let path = line.split(separator: " ").dropFirst(2).first.map(String.init),
          path.hasPrefix("/"), !path.hasPrefix("/lib"), !path.hasPrefix("/usr/lib")
        else { return nil }
        return URL(filePath: path).lastPathComponent
      }
    #expect(libraries.count > 5)
    for library in libraries {
      let path = prefix.appending(path: "lib/voice/\(library)").path
      #expect(FileManager.default.fileExists(atPath: path), "\(library) is not installed")
    }
    let unit = try String(
      contentsOf: prefix.appending(path: "lib/systemd/system/voice.service"), encoding: .utf8)
    #expect(unit.contains("Type=notify") && unit.contains("WatchdogSec="))
    #expect(unit.contains("ExecStart=\(program) run --service") && !unit.contains("@"))
    if installed.text.contains("has no systemd-analyze") {
      print("skipped: the unit is not verified, this machine has no systemd-analyze")
    } else {
      #expect(installed.text.contains("(verified)"), "\(installed.text)")
    }
  }

  @Test func uninstallingLeavesNothingBehind() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    #expect(try await install("uninstall", place).exitCode == 1)
    #expect(try await install("install", place).exitCode == 0)
    try place.write("prefix/bin/other", "somebody else's")
    #expect(try await install("install", place).exitCode == 0, "twice")
    #expect(try await install("uninstall", place).exitCode == 0)
    #expect(files(below: place.file("prefix")) == ["bin", "bin/other"])
  }

  @Test func aMissingBuildIsSaid() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    let ending = try await run(
      "/bin/sh", [Self.checkout.appending(path: "Sources/Install/install.sh").path, "install"],
      [
        "PATH": "/usr/bin:/bin", "HOME": place.folder.path, "PREFIX": place.file("prefix").path,
        "BUILD": "/nonexistent",
      ])
    #expect(ending.exitCode == 1)
    #expect(ending.text.contains("make build"))
    #expect(files(below: place.file("prefix")).isEmpty)
  }
}
