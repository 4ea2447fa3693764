import Testing

@testable import VoiceEngine

@Suite struct VoiceDeviceTests {
  @Test func aDeviceThatIsNotThereIsNamed() throws {
    var configuration = VoiceDeviceConfiguration()
    configuration.capture = "hw:CARD=NoSuchCard,DEV=0"
    configuration.playback = "hw:CARD=NoSuchCard,DEV=0"
    let engine = try VoiceEngine(configuration: configuration)
    let error = #expect(throws: AudioError.self) { try engine.start() }
    #expect(error?.code == .noDevice)
    #expect(error?.message.contains("hw:CARD=NoSuchCard,DEV=0") == true)
    #expect(error?.message.contains("voice devices") == true)
    engine.stop()
    #expect(engine.status.isRunning == false)
  }

  @Test func missingWeightsAreNamed() throws {
    var configuration = VoiceDeviceConfiguration()
    configuration.detectorWeights = "/nonexistent/silero.safetensors"
    let error = #expect(throws: AudioError.self) { try VoiceEngine(configuration: configuration) }
    #expect(error?.code == .coreFailed)
    #expect(error?.message.contains("/nonexistent/silero.safetensors") == true)
  }

  @Test func aLostDeviceSaysWhyAndStops() throws {
    let device = try SimulatedVoiceDevice()
    try device.start()
    device.step()
    device.lose(reason: "The speaker was unplugged.")
    var reasons: [String] = []
    device.drain { if case .deviceLost(let reason) = $0 { reasons.append(reason) } }
    #expect(reasons == ["The speaker was unplugged."])
    #expect(device.status.isRunning == false)
    #expect(device.step().microphone.allSatisfy { $0 == 0 })
  }

  @Test func muteHoldsThroughARestart() throws {
    let device = try SimulatedVoiceDevice()
    device.setMuted(true)
    try device.start()
    device.stop()
    try device.start()
    #expect(device.status.isMuted)
  }

  @Test func outputsThatNobodyFetchesAreBoundedAndCounted() throws {
    let device = try SimulatedVoiceDevice()
    try device.start()
    for _ in 0..<1_000 { device.step() }
    #expect(device.status.counters.droppedOutputs > 200)
    var packets = 0
    device.drain { if case .packet = $0 { packets += 1 } }
    #expect(packets == 256)
  }

  @Test func levelsComeEveryHundredMilliseconds() throws {
    let device = try SimulatedVoiceDevice()
    try device.start()
    var levels = 0
    for _ in 0..<100 {
      device.step()
      device.drain { if case .levels = $0 { levels += 1 } }
    }
    #expect(levels == 10)
  }

  @Test func anOverlongPacketIsRefused() throws {
    let device = try SimulatedVoiceDevice()
    let packet = SpeechPacket(
      generation: 1, sequence: 0, timestamp: 0, participant: 0, kind: .opus,
      payload: [UInt8](repeating: 0, count: 2_000))
    #expect(device.receive(packet) == false)
  }
}
