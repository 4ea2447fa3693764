import Testing

@testable import voice

struct ArgumentsTests {
  private let options = [
    Arguments.Option("--out", value: "FILE", "where"), Arguments.Option("--json", "how"),
  ]

  private func sentence(_ raw: [String], words: Int = 0) -> String? {
    do {
      _ = try Arguments(raw, options: options, command: "run", words: words)
      return nil
    } catch {
      return error.sentence
    }
  }

  @Test func valuesComeBehindTheOptionOrBehindAnEqualsSign() throws {
    let apart = try Arguments(["--out", "a=b.wav", "--json"], options: options, command: "run")
    let joined = try Arguments(["--out=a=b.wav"], options: options, command: "run")
    #expect(apart["--out"] == "a=b.wav")
    #expect(apart.has("--json"))
    #expect(joined["--out"] == "a=b.wav")
    #expect(!joined.has("--json"))
  }

  @Test func anUnknownOptionIsRefusedByName() {
    #expect(sentence(["--ouT", "x"])?.contains("unknown option --ouT") == true)
    #expect(sentence(["--outx=1"])?.contains("unknown option --outx") == true)
  }

  @Test func aMissingValueIsNamed() {
    #expect(sentence(["--out"])?.contains("--out needs a value (FILE)") == true)
  }

  @Test func anOptionIsNoValueOfAnother() {
    #expect(sentence(["--out", "--json"])?.contains("--out needs a value (FILE)") == true)
  }

  @Test func aSwitchTakesNoValue() {
    #expect(sentence(["--json=yes"])?.contains("--json takes no value") == true)
  }

  @Test func aWordTooManyIsNamed() {
    #expect(sentence(["later"])?.contains("did not expect \"later\"") == true)
    #expect(sentence(["later"], words: 1) == nil)
  }

  @Test(arguments: ["four", "-1", "1001", "2.5"])
  func aNumberOutsideItsRangeIsShown(text: String) throws {
    let arguments = try Arguments(["--out=\(text)"], options: options, command: "run")
    #expect {
      try arguments.integer("--out", in: 0...1_000)
    } throws: {
      ($0 as? UsageError)?.sentence.contains("from 0 to 1000, but got \"\(text)\"") == true
    }
  }
}
