import Foundation
import Testing

@testable import VoiceEngine

/// The simulated device knows what its room heard; the recording must say the same.
@Suite struct RecordingTests {
  struct Buffering: Sendable, CustomTestStringConvertible {
    var playback: Int
    var waiting = 0
    var hidden = 0
    var testDescription: String { "\(playback) ahead, \(waiting) waiting, \(hidden) hidden" }
  }

  private let folder: ScratchFolder

  init() throws {
    folder = try ScratchFolder()
  }

  private func makeDevice(
    _ buffering: Buffering = Buffering(playback: 1_440), recording: String? = nil
  ) throws -> SimulatedVoiceDevice {
    var configuration = VoiceDeviceConfiguration()
    configuration.hiddenLatencyFrames = buffering.hidden
    configuration.recording = recording ?? folder.file("talk.wav")
    var acoustics = SimulatedAcoustics()
    acoustics.playbackFrames = buffering.playback
    acoustics.captureWaitingFrames = buffering.waiting
    acoustics.hiddenLatencyFrames = buffering.hidden
    return try SimulatedVoiceDevice(configuration: configuration, acoustics: acoustics)
  }

  /// A person's voice that is nowhere like itself.
  private func voice(block: Int) -> [Float] {
    (0..<480).map { index in
      let time = Float(block * 480 + index) / 48_000
      return 0.3 * sin(2 * .pi * (200 + 90 * time) * time)
    }
  }

  private struct Heard {
    var microphone: [Float] = []
    var speaker: [Float] = []

    mutating func append(_ block: SimulatedVoiceDevice.Heard) {
      microphone += block.microphone
      speaker += block.speaker
    }
  }

  @Test(arguments: [
    Buffering(playback: 960), Buffering(playback: 1_440), Buffering(playback: 33_600),
    Buffering(playback: 1_440, waiting: 1_000),
    Buffering(playback: 7_001, waiting: 333, hidden: 14_400),
  ])
  func bothSidesAreRecordedAsTheRoomHeardThem(buffering: Buffering) throws {
    let device = try makeDevice(buffering)
    try device.start()
    var heard = Heard()
    for block in 0..<200 {
      if block == 20 {
        for packet in tone(generation: 1, packets: 60) { #expect(device.receive(packet)) }
      }
      heard.append(device.step(nearEnd: voice(block: block)))
    }
    device.stop()
    let file = try RecordedFile(folder.file("talk.wav"))
    #expect(file.microphone == pcm16(heard.microphone))
    #expect(file.speaker == pcm16(heard.speaker))
    #expect(file.speaker.contains { $0 > 7_000 })
    let status = try #require(device.status.recording)
    #expect(status.frames == 96_000)
    #expect(status.missingFrames == 0 && status.droppedBlocks == 0 && status.failure == nil)
  }

  @Test func aFlushIsHeardInTheRecordingToo() throws {
    let device = try makeDevice(Buffering(playback: 4_800))
    try device.start()
    for packet in tone(generation: 1, packets: 200) { _ = device.receive(packet) }
    var heard = Heard()
    for block in 0..<150 {
      if block == 80 { device.flush(below: 2) }
      heard.append(device.step())
    }
    device.stop()
    #expect(try RecordedFile(folder.file("talk.wav")).speaker == pcm16(heard.speaker))
  }

  @Test func nothingOfAMutedMicrophoneIsRecorded() throws {
    let device = try makeDevice()
    try device.start()
    var heard = Heard()
    for block in 0..<150 {
      if block == 50 { device.setMuted(true) }
      if block == 100 { device.setMuted(false) }
      if block == 60 {
        for packet in tone(generation: 1, packets: 20) { _ = device.receive(packet) }
      }
      heard.append(device.step(nearEnd: voice(block: block)))
    }
    device.stop()
    let file = try RecordedFile(folder.file("talk.wav"))
    let expected = pcm16(heard.microphone)
    #expect(file.microphone[..<24_000] == expected[..<24_000])
    // A little longer than the mute: what was captured under it and read late must not leave.
    let returned = try #require(file.microphone[24_000...].firstIndex { $0 != 0 })
    #expect((48_000..<50_400).contains(returned))
    #expect(file.microphone[50_400...] == expected[50_400...])
    #expect(file.speaker == pcm16(heard.speaker))
    #expect(file.speaker.contains { $0 != 0 })
  }

  @Test func lostTimeIsSilentAndKeepsTheRestInItsPlace() throws {
    let device = try makeDevice()
    try device.start()
    var heard = Heard()
    for block in 0..<100 {
      if block == 50 {
        device.loseFrames(3_333)
        heard.microphone += [Float](repeating: 0, count: 3_333)
      }
      heard.append(device.step(nearEnd: voice(block: block)))
    }
    device.stop()
    #expect(try RecordedFile(folder.file("talk.wav")).microphone == pcm16(heard.microphone))
    #expect(device.status.recording?.missingFrames == 3_333)
  }

  @Test func theFileCanBeReadAtEveryMoment() throws {
    let device = try makeDevice()
    try device.start()
    #expect(try RecordedFile(folder.file("talk.wav")).microphone.isEmpty)
    for block in 1...30 {
      device.step(nearEnd: voice(block: block))
      #expect(try RecordedFile(folder.file("talk.wav")).microphone.count == block * 480)
    }
  }

  @Test func aRestartGoesOnInTheSameFile() throws {
    let device = try makeDevice()
    var heard = Heard()
    for _ in 0..<2 {
      try device.start()
      for block in 0..<20 { heard.append(device.step(nearEnd: voice(block: block))) }
      device.stop()
    }
    #expect(try folder.files == ["talk.wav"])
    #expect(try RecordedFile(folder.file("talk.wav")).microphone == pcm16(heard.microphone))
  }

  @Test func anEarlierRecordingIsKept() throws {
    for _ in 0..<3 {
      let device = try makeDevice()
      try device.start()
      device.step(nearEnd: voice(block: 0))
      device.stop()
    }
    #expect(try folder.files == ["talk-2.wav", "talk-3.wav", "talk.wav"])
  }

  @Test func aRecordingIsItsOwnersAlone() throws {
    let device = try makeDevice()
    try device.start()
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("talk.wav"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func aMissingFolderIsSaidBeforeTheSoundFlows() throws {
    let path = folder.file("nowhere/talk.wav")
    let device = try makeDevice(recording: path)
    let error = #expect(throws: AudioError.self) { try device.start() }
    #expect(error?.code == .recordingFailed)
    #expect(error?.message.contains(path) == true)
    #expect(error?.message.contains("folder is missing") == true)
    #expect(device.status.isRunning == false)
  }

  @Test func nothingIsRecordedUnlessAsked() throws {
    let device = try SimulatedVoiceDevice()
    try device.start()
    for _ in 0..<300 { device.step() }
    #expect(device.status.recording == nil)
  }

  /// The limit of the file size stands for a full disk; it belongs to the whole process.
  @Test func aDiskThatTakesNoMoreEndsOnlyTheRecording() async {
    await #expect(processExitsWith: .success) {
      let folder = try ScratchFolder()
      var configuration = VoiceDeviceConfiguration()
      configuration.recording = folder.file("talk.wav")
      let device = try SimulatedVoiceDevice(configuration: configuration)
      try device.start()
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
      #expect(setrlimit(__rlimit_resource_t(1), &limit) == 0)
      var told: [String] = []
      var packets = 0
      for _ in 0..<200 {
        device.step()
        device.drain {
          if case .recordingEnded(let sentence) = $0 { told.append(sentence) }
          if case .packet = $0 { packets += 1 }
        }
      }
      #expect(told.count == 1)
      #expect(told.first?.contains("ended early") == true)
      #expect(device.status.recording?.failure == told.first)
      #expect(packets > 90)
      let frames = try RecordedFile(folder.file("talk.wav")).microphone.count
      #expect(frames == 99_956 / 1_920 * 480)
    }
  }
}
