/// Word errors pooled over many texts: substitutions, insertions and deletions against the words
/// that should be there.
struct WordErrors {
  private(set) var errors = 0
  private(set) var words = 0

  /// Errors for each word of the references, 0 is perfect.
  var rate: Double { words == 0 ? 1 : Double(errors) / Double(words) }

  /// Compares what was heard with what was said, after ``SpokenWords`` made both comparable.
  ///
  /// - Returns: the errors of this pair.
  @discardableResult
  mutating func add(said: String, heard: String) -> Int {
    let (reference, hypothesis) = (SpokenWords.of(said), SpokenWords.of(heard))
    let found = Self.distance(reference, hypothesis)
    errors += found
    words += reference.count
    return found
  }

  /// The least number of words to change, add and drop.
  static func distance(_ reference: [String], _ hypothesis: [String]) -> Int {
    var row = Array(0...hypothesis.count)
    for (index, word) in reference.enumerated() {
      var diagonal = row[0]
      row[0] = index + 1
      for (column, heard) in hypothesis.enumerated() {
        let kept = diagonal + (word == heard ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(kept, row[column] + 1, diagonal + 1)
      }
    }
    return row[hypothesis.count]
  }
}
