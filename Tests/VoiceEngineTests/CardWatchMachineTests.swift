import Testing

@testable import VoiceEngine

@Suite struct CardWatchMachineTests {
  @Test func theKernelIsAskedFirstThenTheFolderThenNothing() {
    var machine = CardWatchMachine()
    let started = machine.handle(.started)
    #expect(started.contains(.open(.messages)))
    #expect(machine.handle(.failed).contains(.open(.folder)))
    let polling = machine.handle(.failed)
    #expect(machine.source == .polling)
    #expect(!polling.contains(.open(.polling)))
    #expect(polling.contains(.pause(.seconds(2), number: 3)))
    #expect(machine.handle(.pauseOver(3)) == [.look, .pause(.seconds(2), number: 4)])
    #expect(machine.failures == 2)
    #expect(machine.handle(.failed) == [])
  }

  @Test func newsIsAnnouncedAtOnceAndLookedAfterForASecond() {
    var machine = CardWatchMachine()
    _ = machine.handle(.started)
    #expect(machine.handle(.told) == [.look, .announce, .pause(.milliseconds(200), number: 2)])
    var looks = 0
    for number in 2..<20 {
      let actions = machine.handle(.pauseOver(number))
      looks += actions.contains(.look) ? 1 : 0
      guard actions.contains(.pause(.milliseconds(200), number: number + 1)) else { break }
    }
    #expect(looks == CardWatchMachine.looksAfterNews)
    #expect(machine.handle(.looked(isNew: true)) == [.announce])
    #expect(machine.handle(.looked(isNew: false)) == [])
  }

  @Test func anOldPauseAndAStoppedWatchDoNothing() {
    var machine = CardWatchMachine()
    #expect(machine.handle(.told) == [])
    _ = machine.handle(.started)
    _ = machine.handle(.told)
    #expect(machine.handle(.pauseOver(1)) == [])
    #expect(machine.handle(.stopped) == [.close])
    #expect(machine.handle(.told) == [])
  }
}
