import Testing

@testable import voice

struct TurnTableTests {
  @Test func whatWasNotMeasuredIsADashAndCountsForNoMedian() {
    var first = TurnReport(turnID: "1")
    first.question = "What is the capital of France?"
    first.answer = "Paris."
    first.voiceToVoice = 800
    var second = TurnReport(turnID: "2")
    second.voiceToVoice = 900
    second.endpoint = 512
    let lines = TurnTable.text([first, second, TurnReport(turnID: "3")], width: 100)
      .split(separator: "\n").map(String.init)
    #expect(lines.count == 5)
    #expect(lines[1].contains("-"))
    #expect(lines[1].contains("What is the capital of France? → Paris."))
    #expect(lines[4].contains("p50") && lines[4].contains("850") && lines[4].contains("512"))
  }

  @Test func noTurnIsSaid() {
    #expect(TurnTable.text([], width: 80) == "No turn was taken.")
  }

  @Test func columnsStandBelowEachOther() {
    var turn = TurnReport(turnID: "1")
    turn.endpoint = 512
    let lines = TurnTable.text([turn], width: 80).split(separator: "\n").map(Array.init)
    let column = lines[0].lastIndex(of: "q")
    #expect(column == lines[1].lastIndex(of: "→").map { $0 - 1 })
  }

  @Test func noLineIsWiderThanTheTerminal() {
    var turn = TurnReport(turnID: "1")
    turn.question = String(repeating: "long ", count: 40)
    for line in TurnTable.text([turn], width: 60).split(separator: "\n") {
      #expect(line.count <= 60)
    }
    #expect(TerminalWidth.lines(of: turn.question, width: 22).allSatisfy { $0.count <= 22 })
    #expect(TerminalWidth.lines(of: "one two three", width: 7) == ["one two", "three"])
  }

  @Test func aLevelFillsItsBarInEighths() {
    #expect(LevelMeter.bar(0, width: 4) == "    ")
    #expect(LevelMeter.bar(1, width: 4) == "████")
    #expect(LevelMeter.bar(2, width: 4) == "████")
    #expect(LevelMeter.bar(0.5, width: 4) == "██  ")
    #expect(LevelMeter.bar(0.28, width: 4) == "█▏  ")
  }
}
