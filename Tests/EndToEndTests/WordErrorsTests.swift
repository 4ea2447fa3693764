import Testing

/// The yardstick of the other tests here.
struct WordErrorsTests {
  @Test(arguments: [
    ("It's 24 hours.", "its twenty-four hours"),
    ("One thousand forty two!", "1042"),
    ("January has 31 days", "january has thirty one days"),
    ("Seven, and seven.", "7 and 7"),
    ("two hundred and six", "200 and 6"),
    ("nineteen ninety", "19 90"),
  ])
  func sameWordsWrittenDifferentlyAreTheSame(said: String, heard: String) {
    #expect(SpokenWords.of(said) == SpokenWords.of(heard))
  }

  @Test func errorsArePooledOverAllWords() {
    var errors = WordErrors()
    #expect(
      errors.add(said: "the capital of France is Paris", heard: "the capital is Paris now") == 3)
    #expect(errors.add(said: "four words are here", heard: "four words are here") == 0)
    #expect(errors.rate == 0.3)
  }

  @Test func nothingHeardIsAllWrong() {
    var errors = WordErrors()
    errors.add(said: "all of this", heard: "")
    #expect(errors.rate == 1)
  }
}
