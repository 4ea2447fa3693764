import Foundation
import Testing
import VoiceProgram

@testable import voice

struct WAVFileTests {
  /// A RIFF file with the given format fields and data.
  private func bytes(
    tag: UInt16 = 1, channels: UInt16 = 1, rate: UInt32 = 48_000, bits: UInt16 = 16,
    before: [UInt8] = [], data: [UInt8], declared: UInt32? = nil
  ) -> [UInt8] {
    func little(_ value: some FixedWidthInteger) -> [UInt8] {
      withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
    let frame = channels * bits / 8
    return Array("RIFF".utf8) + little(UInt32(0)) + Array("WAVEfmt ".utf8) + little(UInt32(16))
      + little(tag) + little(channels) + little(rate) + little(rate * UInt32(frame))
      + little(frame) + little(bits) + before + Array("data".utf8)
      + little(declared ?? UInt32(data.count)) + data
  }

  private func read(_ bytes: [UInt8]) throws -> WAVFile {
    let place = try TemporaryPlace()
    defer { place.remove() }
    try Data(bytes).write(to: place.file("x.wav"))
    return try WAVFile(contentsOf: place.file("x.wav"))
  }

  private func sentence(_ bytes: [UInt8]) throws -> String {
    do {
      _ = try read(bytes)
      return ""
    } catch let fault as FileFault {
      return fault.sentence
    }
  }

  @Test func samplesAndRateAreRead() throws {
    let file = try read(bytes(rate: 16_000, data: [1, 0, 255, 255, 0, 128]))
    #expect(file.rate == 16_000)
    #expect(file.samples == [1, -1, -32_768])
  }

  @Test func twoChannelsAreAveraged() throws {
    #expect(try read(bytes(channels: 2, data: [10, 0, 20, 0])).samples == [15])
  }

  @Test func chunksBeforeTheSoundAreSkipped() throws {
    let list = Array("LIST".utf8) + [3, 0, 0, 0, 1, 2, 3, 0]
    #expect(try read(bytes(before: list, data: [7, 0])).samples == [7])
  }

  @Test func aFileCutShortKeepsWhatIsThere() throws {
    #expect(try read(bytes(data: [7, 0, 8], declared: 4_000_000_000)).samples == [7])
  }

  @Test(arguments: [[], Array("ID3 an MP3".utf8), [UInt8](repeating: 0, count: 100)])
  func whatIsNoWAVSaysHowToMakeOne(bytes: [UInt8]) throws {
    let sentence = try sentence(bytes)
    #expect(sentence.contains("is not a WAV file"))
    #expect(sentence.contains("sox INPUT"))
  }

  @Test func otherFormatsAreNamed() throws {
    let floats = try sentence(bytes(tag: 3, bits: 32, data: [0, 0, 0, 0]))
    #expect(floats.contains("32 bits at 48000 Hz (format 3)"))
    #expect(try sentence(bytes(bits: 24, data: [0, 0, 0])).contains("24 bits"))
    #expect(try sentence(bytes(channels: 6, data: [0])).contains("6 channels"))
    #expect(try sentence(bytes(rate: 1_000_000, data: [0])).contains("1000000 Hz"))
  }

  @Test func aFileWithoutSoundSaysSo() throws {
    let bytes = Array("RIFF____WAVE".utf8) + Array("junk".utf8) + [100, 0, 0, 0]
    #expect(
      try sentence(bytes + [UInt8](repeating: 0, count: 100)).contains("without sound"))
  }

  @Test func aFileThatIsNotThereIsNamed() throws {
    #expect {
      try WAVFile(contentsOf: URL(filePath: "/nowhere/question.wav"))
    } throws: {
      ($0 as? FileFault)?.sentence.contains("/nowhere/question.wav") == true
    }
  }
}
