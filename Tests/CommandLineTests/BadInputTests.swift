import Foundation
import SimulatedRoomControl
import Testing
import VoiceProgram

/// Devices, files and configurations that cannot be used: a sentence, and an exit code.
struct BadInputTests {
  private func run(
    _ arguments: [String], in place: TemporaryPlace, environment: [String: String] = [:]
  ) async throws -> VoiceProcess.Ending {
    try await VoiceProcess.start(
      arguments, environment: environment.merging(["VOICE_DATA": place.folder.path]) { $1 },
      limit: .seconds(60)
    ).ending()
  }

  @Test func aDeviceThatIsNotThereIsNamed() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    let ending = try await run(
      ["run", "--capture", "hw:CARD=Nope", "--playback", "hw:CARD=Nope"], in: place)
    #expect(ending.exitCode == 1)
    #expect(ending.errors.contains("There is no microphone hw:CARD=Nope"), "\(ending.errors)")
    #expect(ending.errors.contains("`voice devices` lists them"))
  }

  /// alsa-lib opens both halves of a `multi` device; the second one finds the room taken, as
  /// another program's microphone would be.
  @Test func aBusyDeviceIsSaidToBeBusy() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    let library = try VoiceProgram.url().deletingLastPathComponent()
      .appending(path: "libSimulatedRoom.so")
    let halves = """
      pcm.taken {
        type multi
        slaves.a.pcm "simroom"
        slaves.a.channels 1
        slaves.b.pcm "simroom"
        slaves.b.channels 1
        bindings.0.slave a
        bindings.0.channel 0
        bindings.1.slave b
        bindings.1.channel 0
      }

      """
    let configuration = try place.write(
      "asound.conf", SimulatedRoomConfiguration(libraryPath: library.path).text + halves)
    let ending = try await run(
      ["run", "--capture", "taken", "--playback", "simroom"], in: place,
      environment: ["ALSA_CONFIG_PATH": configuration.path])
    #expect(ending.exitCode == 1)
    #expect(ending.errors.contains("taken"), "\(ending.errors)")
    #expect(ending.errors.contains("another program"), "\(ending.errors)")
  }

  @Test func aWAVThatIsNoneIsNamed() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    let file = try place.write("question.wav", "What is the capital of France?")
    let ending = try await run(["run", "--wav", file.path], in: place)
    #expect(ending.exitCode == 1)
    #expect(ending.errors.contains("\(file.path) is not a WAV file"))
  }

  @Test func aMistakeInTheConfigurationIsNamedWithItsPlace() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    try place.writeConfiguration(agent: ["turn:", "  silence_ms: fast"])
    let file = place.file("router.yaml").path
    for command in [["router"], ["run", "--room"], ["token", "--user", "u"]] {
      let ending = try await run(command, in: place)
      #expect(ending.exitCode == 1)
      #expect(ending.errors.contains("\(file):9:"), "\(ending.errors)")
      #expect(ending.errors.contains("agents[0].turn.silence_ms"), "\(ending.errors)")
    }
  }

  @Test func anAddressOthersCanReachIsRefused() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    let ending = try await run(["router", "--listen", "0.0.0.0:0"], in: place)
    #expect(ending.exitCode == 1)
    #expect(ending.errors.contains("insecure: true"), "\(ending.errors)")
  }

  @Test func aDataFolderThatCannotBeWrittenIsNamed() async throws {
    let place = try TemporaryPlace()
    defer { place.remove() }
    let file = try place.write("data", "a file where a folder should be")
    let ending = try await VoiceProcess.start(
      ["router", "--sound-path-only"], environment: ["VOICE_DATA": file.path], limit: .seconds(30)
    ).ending()
    #expect(ending.exitCode == 1)
    #expect(ending.errors.contains(file.path), "\(ending.errors)")
  }
}
