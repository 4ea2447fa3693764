import Foundation

/// One recorded question of the fixtures, with its words and the labels of its voiced part.
struct FixtureQuestion: Decodable {
  var id: String
  /// File name beside `questions.json`.
  var file: String
  /// What is said.
  var text: String
  /// Index of the last voiced sample at 48 kHz, the t0 of every latency.
  var lastVoicedSample: Int
  /// The question wants a registered tool; it is counted apart.
  var expectsTool: Bool

  private enum CodingKeys: String, CodingKey {
    case id, file, text
    case lastVoicedSample = "last_voiced_sample_48k"
    case expectsTool = "expects_tool"
  }

  init(id: String, file: String, text: String, lastVoicedSample: Int, expectsTool: Bool) {
    self.id = id
    self.file = file
    self.text = text
    self.lastVoicedSample = lastVoicedSample
    self.expectsTool = expectsTool
  }
}
