import Testing

@testable import VisionAgentsCore

struct GenerationMapTests {
  @Test func aRouterThatGoesOnIsTakenAtItsWord() {
    var map = GenerationMap()
    map.joined(newest: 0)
    #expect(map.onDevice(1) == 1)
    #expect(map.onDevice(2) == 2)
    map.joined(newest: 2)
    #expect(map.onDevice(3) == 3)
    #expect(map.onWire(3) == 3)
  }

  @Test func aRestartedRoutersNumbersAreLiftedAboveWhatTheDeviceHasSeen() {
    var map = GenerationMap()
    map.joined(newest: 0)
    #expect(map.onDevice(7) == 7)
    map.joined(newest: 0)
    #expect(map.onDevice(1) == 8)
    #expect(map.onWire(8) == 1)
    #expect(map.onWire(7) == nil, "it never heard of that utterance")
    map.joined(newest: 1)
    #expect(map.onDevice(2) == 9, "joining again without a restart changes nothing")
  }
}
